/// What a command line means: a value for every flag of its verb, checked, and the operands.
struct Options: Sendable {
    let verb: VerbName
    /// Files to work on, in order, as they were typed; `-` is standard input.
    let operands: [String]
    /// The flags as they were typed.
    let typedFlags: [TypedCommand.FlagUse]
    /// What to tell people before the work starts.
    let cautions: [String]
    private let readings: [String: any Reading]
    private let given: Set<String>

    /// Checks what was typed.
    init(_ typed: TypedCommand) throws(UsageError) {
        func fail(_ problem: UsageError.Problem) -> UsageError { UsageError(verb: typed.verb, problem: problem) }
        let table = typed.verb.verb
        let given = Set(typed.flags.map(\.name))
        var readings: [String: any Reading] = [:]
        var cautions: [String] = []
        for flag in table.flags {
            let info = flag.info
            do throws(RefusedText) {
                let reading = try flag.read(typed.flags.filter { $0.name == info.name }.map { $0.value ?? "" })
                if let caution = reading.caution { cautions.append("--\(info.name): \(caution)") }
                readings[info.name] = reading
            } catch {
                var near: String?
                if case .words(let words) = info.completion { near = nearest(to: error.text, among: words) }
                throw fail(
                    .refusedValue(flag: info.name, value: error.text, expected: info.expected, nearest: near))
            }
            if given.contains(info.name), let other = info.excludes.first(where: given.contains) {
                throw fail(.excluded(flag: other, by: info.name))
            }
        }
        verb = typed.verb
        operands = typed.operands
        typedFlags = typed.flags
        self.readings = readings
        self.given = given
        self.cautions = cautions
    }

    /// The flag's value: what was typed, else its default.
    ///
    /// Asking for a flag that the verb doesn't have is a mistake in the program, not in what was typed, and traps.
    func value<Value>(_ flag: Flag<Value>) -> Value {
        guard let read = readings[flag.info.name] as? Flag<Value>.Read else {
            preconditionFailure("\(verb.rawValue) has no flag --\(flag.info.name)")
        }
        return read.value
    }

    /// All values but those of some flags, as text: the same for the same values, however they were typed.
    func text(without names: Set<String>) -> String {
        readings.keys.filter { !names.contains($0) }.sorted().compactMap { name in
            readings[name].map { "\(name)=\($0.text)\n" }
        }.joined()
    }

    /// Whether the flag was typed, with whatever value.
    func isGiven<Value>(_ flag: Flag<Value>) -> Bool { given.contains(flag.info.name) }
}
