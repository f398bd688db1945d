import Testing

@testable import VeilCLI

@Suite struct FlagTableTests {
    @Test(arguments: VerbName.allCases)
    func `no two flags of a verb clash`(name: VerbName) {
        let flags = name.verb.flags.map(\.info)
        #expect(Set(flags.map(\.name)).count == flags.count)
        let shorts = flags.compactMap(\.short)
        #expect(Set(shorts).count == shorts.count)
    }

    @Test func `a flag is spelt the same way in all verbs`() {
        var seen: [String: FlagInfo] = [:]
        var shorts: [Character: String] = [:]
        for flag in VerbName.allCases.flatMap(\.verb.flags).map(\.info) {
            if let other = seen.updateValue(flag, forKey: flag.name) {
                #expect(flag.short == other.short && flag.takesValue == other.takesValue, "--\(flag.name)")
            }
            if let short = flag.short, let other = shorts.updateValue(flag.name, forKey: short) {
                #expect(other == flag.name, "-\(short)")
            }
        }
    }

    @Test(arguments: VerbName.allCases)
    func `every flag is in help, man page and completions`(name: VerbName) throws {
        let help = Help.text(for: name.verb)
        let bash = try #require(BashCompletion.text.firstRange(of: "    \(name.rawValue))"))
        let bashRest = BashCompletion.text[bash.upperBound...]
        let bashEnd = try #require(bashRest.firstRange(of: "\n        ;;"))
        let bashClause = bashRest[..<bashEnd.lowerBound]
        let zsh = try #require(ZshCompletion.text.firstRange(of: "_veil_\(name.rawValue)() {"))
        let zshFunction = ZshCompletion.text[zsh.upperBound...]
        let zshEnd = try #require(zshFunction.firstRange(of: "\n}"))
        for flag in name.verb.flags.map(\.info) {
            let value = flag.valueName.map { " \($0)" } ?? ""
            let short = flag.short.map { "  -\($0), " } ?? "      "
            #expect(help.contains("\(short)--\(flag.name)\(value)"))
            #expect(ManPage.text.contains("\\fB\(ManPage.escaped("--" + flag.name))\\fR"))
            #expect(ManPage.text.contains(ManPage.escaped(flag.brief)), "--\(flag.name)")
            #expect(bashClause.contains("--\(flag.name)"))
            #expect(zshFunction[..<zshEnd.lowerBound].contains("--\(flag.name)\(flag.takesValue ? "=" : "")"))
            let fish = FishCompletion.text.split(separator: "\n").filter {
                $0.contains("'__veil_is \(name.rawValue)'") && $0.contains(" -l \(flag.name) ")
            }
            #expect(fish.count == 1, "--\(flag.name)")
        }
    }

    @Test(arguments: VerbName.allCases)
    func `texts are whole sentences and names are plain`(name: VerbName) {
        for flag in name.verb.flags.map(\.info) {
            #expect(flag.help.hasSuffix("."), "--\(flag.name)")
            #expect(!flag.brief.isEmpty && !flag.brief.hasSuffix("."))
            #expect(flag.name.allSatisfy { $0.isLowercase || $0 == "-" } && flag.name.count > 1)
            for other in flag.excludes { #expect(name.verb.flag(named: other) != nil, "--\(flag.name) --\(other)") }
        }
        #expect(name.verb.summary.last != ".")
        #expect(name.verb.name == name)
    }

    @Test(arguments: VerbName.allCases)
    func `help and version are everywhere`(name: VerbName) {
        #expect(name.verb.flag(short: "h")?.name == "help")
        #expect(name.verb.flag(short: "V")?.name == "version")
    }

    @Test func `a default that help shows is one that may be typed`() throws {
        func check<Value: Equatable>(_ flag: Flag<Value>) throws {
            let shown = try #require(flag.info.defaultText)
            let read = try #require(try flag.read([shown]) as? Flag<Value>.Read)
            #expect(read.value == flag.initial, "--\(flag.info.name)")
        }
        try check(Flags.audio)
        try check(Flags.onError)
        try check(Flags.detector)
        try check(Flags.linger)
        try check(Flags.effect)
        try check(Flags.cells)
        try check(Flags.color)
        try check(Flags.mask)
        try check(Flags.maskScale)
        try check(Flags.softness)
        try check(Flags.hold)
    }
}
