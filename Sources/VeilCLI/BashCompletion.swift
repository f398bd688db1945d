/// Completions for bash 4 and later; needs no other package.
enum BashCompletion {
    static var text: String {
        let names = VerbName.allCases.map(\.rawValue)
        let shown = Verb.shown.map(\.name.rawValue)
        return """
            # bash completion for veil

            # Matching words of a list; none means that files are not offered instead.
            _veil_words() {
                compopt +o default +o bashdefault 2>/dev/null
                mapfile -t COMPREPLY < <(compgen -W "$1" -- "$2")
            }

            _veil() {
                local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=redact word
                COMPREPLY=()

                # --flag=value comes as three words.
                if [[ $cur == = ]]; then
                    cur=''
                elif [[ $prev == = ]] && ((COMP_CWORD > 1)); then
                    prev=${COMP_WORDS[COMP_CWORD-2]}
                fi

                if ((COMP_CWORD > 1)); then
                    case ${COMP_WORDS[1]} in
                    \(names.joined(separator: "|"))) verb=${COMP_WORDS[1]} ;;
                    esac
                fi

                # Only files follow --.
                for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
                    if [[ $word == -- ]]; then return; fi
                done

                case $verb in
            \(VerbName.allCases.map { clause($0.verb) }.joined(separator: "\n"))
                esac

                if ((COMP_CWORD == 1)); then
                    compopt -o filenames 2>/dev/null
                    mapfile -t COMPREPLY < <(compgen -W '\(shown.joined(separator: " "))' -- "$cur"; compgen -f -- "$cur")
                fi
            }

            complete -o bashdefault -o default -F _veil veil

            """
    }

    private static func clause(_ verb: Verb) -> String {
        var lines = ["\(verb.name.rawValue))"]
        let valued = verb.flags.map(\.info).filter(\.takesValue)
        if !valued.isEmpty {
            lines.append("    case $prev in")
            for flag in valued where flag.completion != .nothing {
                lines.append("    \(pattern(flag))) \(action(flag.completion))return ;;")
            }
            let unguessed = valued.filter { $0.completion == .nothing }.map(pattern)
            if !unguessed.isEmpty {
                lines.append("    \(unguessed.joined(separator: "|"))) \(action(.nothing))return ;;")
            }
            lines.append("    esac")
        }
        let words = verb.flags.map(\.info).flatMap { flag in
            ["--" + flag.name] + (flag.short.map { ["-\($0)"] } ?? [])
        }
        lines += [
            "    if [[ $cur == -* ]]; then",
            "        _veil_words '\(words.joined(separator: " "))' \"$cur\"",
            "        return",
            "    fi",
        ]
        // Files are bash's default.
        if verb.operands.completion != .files { lines.append("    \(action(verb.operands.completion))return") }
        lines.append("    ;;")
        return lines.map { "    " + $0 }.joined(separator: "\n")
    }

    private static func pattern(_ flag: FlagInfo) -> String {
        (flag.short.map { "-\($0)|" } ?? "") + "--" + flag.name
    }

    private static func action(_ completion: Completion) -> String {
        switch completion {
        case .nothing: "_veil_words '' \"$cur\"; "
        case .files: ""
        case .directories: "compopt -o dirnames +o default +o bashdefault 2>/dev/null; "
        case .words(let words): "_veil_words '\(words.joined(separator: " "))' \"$cur\"; "
        }
    }
}
