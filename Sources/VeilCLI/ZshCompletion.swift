/// Completions for zsh: to be sourced, or saved as `_veil` in `$fpath`.
enum ZshCompletion {
    static var text: String {
        let shown = Verb.shown.map { "        '\(quoted("\($0.name.rawValue):\($0.summary)"))'" }
        let cases = VerbName.allCases.map {
            "        \($0.rawValue)) shift words; (( CURRENT-- )); _veil_\($0.rawValue) ;;"
        }
        return """
            #compdef veil

            \(VerbName.allCases.map { function($0.verb) }.joined(separator: "\n"))
            _veil() {
                local -a verbs
                verbs=(
            \(shown.joined(separator: "\n"))
                )
                if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
                    _alternative 'verbs:verb:{_describe verb verbs}' 'files:input:_files'
                    return
                fi
                case $words[2] in
            \(cases.joined(separator: "\n"))
                    *) _veil_redact ;;
                esac
            }

            if [[ $funcstack[1] == _veil ]]; then
                _veil "$@"
            else
                compdef _veil veil
            fi

            """
    }

    private static func function(_ verb: Verb) -> String {
        let flags = verb.flags.map { "        \(specification($0.info, in: verb)) \\" }
        let operands =
            switch verb.operands {
            case .none: "        ':: :'"
            case .inputs, .inputsOrList: "        '*:input:_files'"
            case .verb: "        ':verb:\(action(verb.operands.completion))'"
            case .shell: "        ':shell:\(action(verb.operands.completion))'"
            }
        return """
            _veil_\(verb.name.rawValue)() {
                _arguments -s -S : \\
            \(flags.joined(separator: "\n"))
            \(operands)
            }

            """
    }

    /// `'(-o --output)'{-o+,--output=}'[Write the result to FILE]:FILE:_files'`.
    private static func specification(_ flag: FlagInfo, in verb: Verb) -> String {
        let long = "--" + flag.name + (flag.takesValue ? "=" : "")
        let spellings = flag.short.map { "{-\($0)\(flag.takesValue ? "+" : ""),\(long)}" } ?? long
        // What the flag rules out: itself, unless it may be repeated, and those it can't stand beside.
        let others = flag.excludes + verb.flags.map(\.info).filter { $0.excludes.contains(flag.name) }.map(\.name)
        let own = flag.isRepeatable ? [] : (flag.short.map { ["-\($0)"] } ?? []) + ["--" + flag.name]
        let ruledOut = own + others.map { "--" + $0 }
        let guardText = flag.isRepeatable ? "'*'" : "'(\(ruledOut.joined(separator: " ")))'"
        let value = flag.valueName.map { ":\(quoted($0)):\(action(flag.completion))" } ?? ""
        return "\(guardText)\(spellings)'[\(quoted(flag.brief))]\(value)'"
    }

    private static func action(_ completion: Completion) -> String {
        switch completion {
        case .nothing: " "
        case .files: "_files"
        case .directories: "_files -/"
        case .words(let words): "(\(words.joined(separator: " ")))"
        }
    }

    /// Text inside single quotes and square brackets of a specification.
    private static func quoted(_ text: String) -> String {
        var safe = ""
        for character in text {
            switch character {
            case "'": safe += "'\\''"
            case "[", "]", "\\": safe += "\\\(character)"
            default: safe.append(character)
            }
        }
        return safe
    }
}
