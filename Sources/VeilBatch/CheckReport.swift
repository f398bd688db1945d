import VeilCore

/// What a check came to, in the forms that people and other programs read. Pure text.
public struct CheckReport: Sendable {
    public enum Format: String, Sendable, CaseIterable { case text, json, junit, sarif, github }

    public var files: [CheckedFile]
    /// The program's version.
    public var version: String

    public init(files: [CheckedFile], version: String) {
        self.files = files
        self.version = version
    }

    /// Faces that no baseline accepts.
    public var showing: Int { files.reduce(0) { $0 + $1.showing.count } }
    public var failures: Int { files.count { $0.failure != nil } }

    static let advice = "cover it with 'veil', or accept it in a baseline"

    public func text(_ format: Format) -> String {
        switch format {
        case .text: plain
        case .json: String(decoding: json, as: UTF8.self)
        case .junit: junit
        case .sarif: String(decoding: sarif, as: UTF8.self)
        case .github: github
        }
    }

    /// A line for each face. Control characters of names must be made harmless by whoever prints it to a terminal.
    private var plain: String {
        files.flatMap { file in file.showing.map { file.line($0) + "\n" } }.joined()
    }

    private var json: [UInt8] {
        var json = JSONWriter()
        json.beginObject(.lines)
        json.key("version")
        json.value(1)
        json.key("veil")
        json.value(version)
        for (key, count) in [
            ("filesChecked", files.count - failures), ("filesFailed", failures), ("facesShowing", showing),
            ("facesAccepted", files.reduce(0) { $0 + $1.faces.count } - showing),
        ] {
            json.key(key)
            json.value(count)
        }
        json.key("files")
        json.beginArray(.lines)
        for file in files {
            json.beginObject(.lines)
            json.key("path")
            json.value(file.path)
            if let failure = file.failure {
                json.key("failure")
                json.value(failure)
            }
            for (key, count) in [("frames", file.frames), ("width", file.width), ("height", file.height)] {
                json.key(key)
                json.value(count)
            }
            json.key("faces")
            json.beginArray(.lines)
            for face in file.faces { face.write(to: &json) }
            json.endArray()
            json.endObject()
        }
        json.endArray()
        json.endObject()
        return json.finish()
    }

    /// JUnit's XML as the common CI servers read it: a case for each file.
    private var junit: String {
        let failed = files.count { $0.failure == nil && !$0.showing.isEmpty }
        var text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        let counts = "tests=\"\(files.count)\" failures=\"\(failed)\" errors=\"\(failures)\""
        text += "<testsuites \(counts)>\n  <testsuite name=\"veil check\" \(counts)>\n"
        for file in files {
            let name = Markup.escaped(file.path)
            text += "    <testcase classname=\"veil.check\" name=\"\(name)\" file=\"\(name)\""
            if let failure = file.failure {
                text += ">\n      <error message=\"\(Markup.escaped(failure))\"/>\n    </testcase>\n"
            } else if !file.showing.isEmpty {
                let lines = file.showing.map { file.line($0) }
                let word = lines.count == 1 ? "1 face shows" : "\(lines.count) faces show"
                text +=
                    ">\n      <failure message=\"\(word)\">\(Markup.escaped(lines.joined(separator: "\n")))</failure>\n"
                text += "    </testcase>\n"
            } else {
                text += "/>\n"
            }
        }
        return text + "  </testsuite>\n</testsuites>\n"
    }

    /// SARIF 2.1.0 (OASIS), as code scanning reads it.
    private var sarif: [UInt8] {
        var json = JSONWriter()
        func object(_ key: String? = nil, _ body: (inout JSONWriter) -> Void) {
            if let key { json.key(key) }
            json.beginObject(.lines)
            body(&json)
            json.endObject()
        }
        func text(_ key: String, _ value: String, _ json: inout JSONWriter) {
            json.key(key)
            json.value(value)
        }
        json.beginObject(.lines)
        text("$schema", "https://json.schemastore.org/sarif-2.1.0.json", &json)
        text("version", "2.1.0", &json)
        json.key("runs")
        json.beginArray(.lines)
        json.beginObject(.lines)
        json.key("tool")
        json.beginObject(.lines)
        json.key("driver")
        json.beginObject(.lines)
        text("name", "veil check", &json)
        text("semanticVersion", version, &json)
        json.key("rules")
        json.beginArray(.lines)
        json.beginObject()
        text("id", "face-shows", &json)
        json.key("shortDescription")
        json.beginObject()
        text("text", "A face can be seen", &json)
        json.endObject()
        json.key("help")
        json.beginObject()
        text("text", "A face can be seen: \(Self.advice).", &json)
        json.endObject()
        json.endObject()
        json.endArray()
        json.endObject()
        json.endObject()
        json.key("results")
        json.beginArray(.lines)
        for file in files { for face in file.showing { Self.write(face, of: file, to: &json) } }
        json.endArray()
        json.key("invocations")
        json.beginArray(.lines)
        json.beginObject(.lines)
        json.key("executionSuccessful")
        json.value(failures == 0)
        json.key("toolExecutionNotifications")
        json.beginArray(.lines)
        for file in files {
            guard let failure = file.failure else { continue }
            json.beginObject()
            text("level", "error", &json)
            json.key("message")
            json.beginObject()
            text("text", failure, &json)
            json.endObject()
            json.key("locations")
            Self.writeLocation(file.path, to: &json)
            json.endObject()
        }
        json.endArray()
        json.endObject()
        json.endArray()
        json.endObject()
        json.endArray()
        json.endObject()
        return json.finish()
    }

    private static func write(_ face: FaceFinding, of file: CheckedFile, to json: inout JSONWriter) {
        json.beginObject(.lines)
        json.key("ruleId")
        json.value("face-shows")
        json.key("level")
        json.value("error")
        json.key("message")
        json.beginObject()
        json.key("text")
        json.value("\(file.line(face)): \(advice)")
        json.endObject()
        json.key("locations")
        writeLocation(file.path, to: &json)
        json.endObject()
    }

    private static func writeLocation(_ path: String, to json: inout JSONWriter) {
        json.beginArray()
        json.beginObject()
        json.key("physicalLocation")
        json.beginObject()
        json.key("artifactLocation")
        json.beginObject()
        json.key("uri")
        json.value(Markup.uri(path))
        json.endObject()
        // Viewers want a line, which pictures don't have.
        json.key("region")
        json.beginObject()
        json.key("startLine")
        json.value(1)
        json.endObject()
        json.endObject()
        json.endObject()
        json.endArray()
    }

    /// Workflow commands of GitHub Actions: annotations of the files.
    private var github: String {
        files.flatMap { file -> [String] in
            let place = "file=\(Markup.commandProperty(file.path))"
            if let failure = file.failure {
                return ["::error \(place),title=Not checked::\(Markup.commandText(failure))\n"]
            }
            return file.showing.map { face in
                "::error \(place),title=A face shows::\(Markup.commandText("\(file.line(face)): \(Self.advice)"))\n"
            }
        }.joined()
    }
}

/// Text that came from outside, made harmless for the language that it is put into.
public enum Markup {
    /// For HTML and XML, in text and in quoted attributes. Characters that XML 1.0 doesn't have become U+FFFD.
    public static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            case "\n", "\t": result.unicodeScalars.append(scalar)
            default:
                let isUnfit =
                    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value & 0xFFFE == 0xFFFE
                result.unicodeScalars.append(isUnfit ? "\u{FFFD}" : scalar)
            }
        }
        return result
    }

    /// A path as a URI reference (RFC 3986): all but unreserved characters and `/` as bytes in percent form.
    public static func uri(_ path: String) -> String {
        var result = path.hasPrefix("/") ? "file://" : ""
        for byte in path.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"), UInt8(ascii: "/"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let hex = String(byte, radix: 16, uppercase: true)
                result += hex.utf8.count == 1 ? "%0\(hex)" : "%\(hex)"
            }
        }
        return result
    }

    /// For the message of a workflow command.
    static func commandText(_ text: String) -> String { replacing(text, ["%": "%25", "\r": "%0D", "\n": "%0A"]) }

    /// For a property of a workflow command.
    static func commandProperty(_ text: String) -> String {
        replacing(text, ["%": "%25", "\r": "%0D", "\n": "%0A", ":": "%3A", ",": "%2C"])
    }

    private static func replacing(_ text: String, _ changes: [Unicode.Scalar: String]) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if let change = changes[scalar] { result += change } else { result.unicodeScalars.append(scalar) }
        }
        return result
    }
}
