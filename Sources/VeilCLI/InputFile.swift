import VeilMedia
import VeilPipeline
import VeilStills

/// An operand as a file that can be opened: what `-` stands for is read first.
struct InputFile {
    /// To open it.
    let path: String
    /// To tell people; as it was typed, but for standard input.
    let name: String
    /// The name without its folder.
    var baseName: String { name.split(separator: "/").last.map(String.init) ?? name }
    /// Keeps what was read open.
    private let standardInput: StandardInput?

    /// - Throws: `VeilError` `.cancelled` too, for a pipe may let one wait.
    init(_ operand: String) throws(VeilError) {
        guard operand == "-" else {
            (path, name, standardInput) = (operand, operand, nil)
            return
        }
        let input: StandardInput?
        do throws(MediaError) {
            input = try StandardInput { Interruption.isRequested }
        } catch { throw .media(error) }
        guard let input else { throw .cancelled }
        (path, name, standardInput) = (input.path, StandardInput.name, input)
    }
}

/// Where the redacted copy goes.
struct OutputFile {
    /// To write it.
    let path: String
    /// To tell people.
    let name: String
    /// Where the file is sent when it is whole; nil when it stays where it is.
    let standardOutput: StandardOutput?

    init(_ options: Options, for input: InputFile) throws(VeilError) {
        let named = options.value(Flags.output)
        if named == "-" {
            do throws(MediaError) {
                let format = options.value(Flags.format) ?? ""
                let output = try StandardOutput(
                    format: format, stillExtension: StillFormat(rawValue: format)?.fileExtensions.first)
                (path, name, standardOutput) = (output.path, StandardOutput.name, output)
            } catch { throw .media(error) }
            return
        }
        guard let path = named ?? OutputName.redacted(for: input.name) else {
            throw .media(
                MediaError(
                    .unwritable, "naming the output", file: input.name, detail: "no name can be made from the input's",
                    advice: "name it with -o"))
        }
        (self.path, name, standardOutput) = (path, path, nil)
    }
}

extension VeilError {
    /// The same error, naming files as people know them.
    func renaming(_ names: [String: String]) -> VeilError {
        switch self {
        case .media(var error):
            error.file = error.file.map { names[$0] ?? $0 }
            return .media(error)
        case .vision(let error, let file): return .vision(error, file: names[file] ?? file)
        case .plan(let error, let file): return .plan(error, file: names[file] ?? file)
        case .digest(var error):
            error.file = names[error.file] ?? error.file
            return .digest(error)
        case .model, .filters, .cancelled: return self
        }
    }
}
