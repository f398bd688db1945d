import Foundation
import Testing
import VeilCore

@Suite struct PlanCodingTests {
    @Test(arguments: 0..<200)
    func `a plan written and read is the same, byte for byte`(_ seed: Int) throws {
        let plan = RedactionPlan.random(seed)
        let bytes = try plan.encoded()
        let read = try RedactionPlan(json: bytes)
        #expect(read == plan)
        #expect(try read.encoded() == bytes)
    }

    @Test func `each frame is one line`() throws {
        let text = String(decoding: try RedactionPlan.sample().encoded(), as: UTF8.self)
        let lines = text.split(separator: "\n")
        #expect(lines.contains("    {\"pts\": 160, \"regions\": []}"))
        #expect(lines.contains("    {\"pts\": 120, \"coverWhole\": true, \"regions\": []},"))
        #expect(
            lines.contains(
                "    {\"pts\": 0, \"regions\": [{\"track\": 1, \"origin\": \"detected\", \"shape\": "
                    + "{\"centerX\": 0.5, \"centerY\": 0.25, \"radiusX\": 0.05, \"radiusY\": 0.125}}]},"))
        #expect(lines.first == "{" && lines.dropFirst().first == "  \"version\": 1,")
    }

    @Test func `keys may come in any order and optional ones be left out`() throws {
        let text = """
            {"frames": [{"regions": [{"shape": {"radiusY": 0.1, "radiusX": 0.1, "centerY": 0.5, "centerX": 0.5},
              "origin": "manual", "track": 4}], "pts": 5}, {"pts": 6, "coverWhole": true}],
             "tracks": [{"sightings": 1, "score": 1, "lastPTS": 5, "firstPTS": 5, "action": "redact", "id": 4}],
             "settings": {}, "detector": {"name": "x"},
             "source": {"frames": 2, "duration": 1, "timeBase": {"den": 25, "num": 1}, "height": 1, "width": 1,
              "sha256": "\(String(repeating: "0", count: 64))", "size": 0, "file": "a"}, "version": 1}
            """
        let plan = try RedactionPlan(json: text.bytes)
        #expect(plan.settings == AnalysisSettings())
        #expect(plan.manual.isEmpty && plan.cuts.isEmpty && plan.detector.modelSHA256 == nil)
        #expect(plan.frames.map(\.coverWhole) == [false, true])
        #expect(plan.frames[0].regions.first?.shape.angle == 0)
    }

    /// A change to the sample's text, and where and why reading it has to fail.
    struct Malformed: Sendable, CustomTestStringConvertible {
        var find: String
        var replace: String
        var path: String
        var reason: PlanError.Reason
        /// Part of the line that the error has to name, after the change; nil: the line that holds `replace`.
        var lineWith: String?

        init(_ find: String, _ replace: String, _ path: String, _ reason: PlanError.Reason, line: String? = nil) {
            self.find = find
            self.replace = replace
            self.path = path
            self.reason = reason
            lineWith = line
        }

        var testDescription: String { "\(find) → \(replace)" }
    }

    static let radius = PlanError.Reason.outOfRange("more than 0 and at most 10")
    static let time = PlanError.Reason.outOfRange(
        "a time stamp, more than -9223372036854775808 and less than 9223372036854775807")
    static let hex = PlanError.Reason.outOfRange("64 lower-case hex digits")
    static let firstRegion = "\"track\": 1, \"origin\": \"detected\", \"shape\": {\"centerX\": 0.5, \"centerY\": 0.25"
    static let zeroes = String(repeating: "0a", count: 32)
    static let deep = String(repeating: "[", count: 5000)

    static let cases: [Malformed] = [
        Malformed("\"version\": 1", "\"version\": 2", "version", .unsupportedVersion(2)),
        Malformed("\"version\": 1", "\"version\": 0", "version", .unsupportedVersion(0)),
        Malformed("\"version\": 1", "\"future\": {}, \"version\": 3", "version", .unsupportedVersion(3)),
        Malformed(
            "\"version\": 1", "\"version\": \"1\"", "version",
            .json(.wrongType(expected: "a whole number", found: "a string"))),
        Malformed("  \"version\": 1,\n", "", "version", .json(.missingKey("version")), line: "{"),
        Malformed("\"version\": 1", "\"version\": 1, \"version\": 1", "", .json(.duplicateKey("version"))),
        Malformed("\"version\": 1", "\"version\": 1, \"colour\": 3", "", .json(.unknownKey("colour"))),
        Malformed(
            "\"version\": 1", "\"version\": \(deep)", "version",
            .json(.wrongType(expected: "a whole number", found: "an array"))),
        Malformed("\"version\": 1", "\"a\": \(deep), \"version\": 1", "", .json(.unknownKey("a"))),
        Malformed("\"walk.mp4\"", "\"../walk.mp4\"", "source.file", .outOfRange("a file's name without its folder")),
        Malformed("\"walk.mp4\"", "\"\"", "source.file", .outOfRange("a file's name without its folder")),
        Malformed(
            "\"walk.mp4\"", "\"\(String(repeating: "a", count: 9000))\"", "source.file",
            .json(.stringTooLong(limit: 8192))),
        Malformed("\"size\": 1234", "\"size\": -1", "source.size", .outOfRange("0 or more")),
        Malformed("    \"size\": 1234,\n", "", "source.size", .json(.missingKey("size")), line: "\"source\": {"),
        Malformed("\"size\": 1234", "\"size\": 99999999999999999999", "source.size", .json(.numberOutOfRange)),
        Malformed("\"sha256\": \"0a", "\"sha256\": \"0A", "source.sha256", hex),
        Malformed("\"sha256\": \"0a", "\"sha256\": \"", "source.sha256", hex),
        Malformed("\"modelSHA256\": \"f1", "\"modelSHA256\": \"g1", "detector.modelSHA256", hex),
        Malformed("\"width\": 640", "\"width\": 0", "source.width", .outOfRange("from 1 to 1000000")),
        Malformed("\"height\": 360", "\"height\": 360.5", "source.height", .json(.notWhole)),
        Malformed("\"den\": 1000", "\"den\": 0", "source.timeBase.den", .outOfRange("from 1 to 2147483647")),
        Malformed("\"duration\": 0.2", "\"duration\": NaN", "source.duration", .json(.notFinite)),
        Malformed("\"duration\": 0.2", "\"duration\": 1e400", "source.duration", .json(.numberOutOfRange)),
        Malformed(
            "\"frames\": 5", "\"frames\": 4", "frames", .tooManyFrames(planned: 5, source: 4), line: "\"frames\": ["),
        Malformed(
            "\"confirmThreshold\": 0.35", "\"confirmThreshold\": 1.5", "settings.confirmThreshold",
            .outOfRange("from 0.0 to 1.0")),
        Malformed("\"detectEvery\": 0", "\"detectEvery\": -1", "settings.detectEvery", .outOfRange("from 0 to 1000")),
        Malformed(
            "\"thorough\": false", "\"thorough\": 0", "settings.thorough",
            .json(.wrongType(expected: "true or false", found: "a number"))),
        Malformed("\"linger\": 0.15", "\"lingers\": 0.15", "settings", .json(.unknownKey("lingers"))),
        Malformed(
            "\"id\": 2", "\"id\": 1", "tracks[1].id", .duplicateTrack(1), line: "\"id\": 1, \"action\": \"keep\""),
        Malformed("\"id\": 2", "\"id\": -2", "tracks[1].id", .outOfRange("from 0 to 2147483647")),
        Malformed(
            "\"action\": \"keep\"", "\"action\": \"kep\"", "tracks[1].action",
            .json(.notOneOf(found: "kep", allowed: ["redact", "keep"]))),
        Malformed("\"score\": 0.9", "\"score\": 1.01", "tracks[0].score", .outOfRange("from 0 to 1")),
        Malformed("\"sightings\": 2", "\"sightings\": -1", "tracks[0].sightings", .outOfRange("0 or more")),
        Malformed("\"lastPTS\": 80", "\"lastPTS\": 9223372036854775807", "tracks[0].lastPTS", time),
        Malformed("\"id\": 7", "\"id\": 1", "manual[0].id", .duplicateTrack(1), line: "\"keyframes\""),
        Malformed(
            "      {\"pts\": 40, \"shape\"", "      {\"pts\": 120, \"shape\"", "manual[0].keyframes[1].pts",
            .keyframesOutOfOrder, line: "0.45"),
        Malformed(
            "\"angle\": 20.0", "\"angle\": true", "manual[0].keyframes[1].shape.angle",
            .json(.wrongType(expected: "a number", found: "true"))),
        Malformed("\"cuts\": [120]", "\"cuts\": [-9223372036854775808]", "cuts[0]", time),
        Malformed(
            "\"cuts\": [120]", "\"cuts\": [120,]", "cuts[0]", .json(.unexpectedCharacter("]", expected: "a value"))),
        Malformed(
            "{\"pts\": 160, \"regions\": []}", "{\"pts\": 160}", "frames[4].regions", .json(.missingKey("regions"))),
        Malformed(
            "{\"pts\": 160, \"regions\"", "{\"regions\"", "frames[4].pts", .json(.missingKey("pts")),
            line: "{\"regions\""),
        Malformed(
            "{\"pts\": 160, \"regions\": []}", "{\"pts\": 160, \"regions\": null}", "frames[4].regions",
            .json(.wrongType(expected: "an array", found: "null"))),
        Malformed("\"pts\": 160", "\"pts\": 1.6e2", "frames[4].pts", .json(.notWhole)),
        Malformed("\"pts\": 160", "\"pts\": -9223372036854775808", "frames[4].pts", time),
        Malformed("\"track\": 2", "\"track\": 3", "frames[1].regions[1].track", .unknownTrack(3)),
        Malformed(
            "\"origin\": \"interpolated\"", "\"origin\": \"guessed\"", "frames[1].regions[0].origin",
            .json(.notOneOf(found: "guessed", allowed: ["detected", "interpolated", "extended", "manual"]))),
        Malformed(
            firstRegion + ", \"radiusX\": 0.05", firstRegion + ", \"radiusX\": 0", "frames[0].regions[0].shape.radiusX",
            radius),
        Malformed(
            firstRegion + ", \"radiusX\": 0.05", firstRegion + ", \"radiusX\": -0.05",
            "frames[0].regions[0].shape.radiusX", radius),
        Malformed(
            firstRegion + ", \"radiusX\": 0.05", firstRegion + ", \"radiusX\": 11",
            "frames[0].regions[0].shape.radiusX",
            radius),
        Malformed(
            firstRegion, firstRegion.replacing("0.25", with: "-10.5"), "frames[0].regions[0].shape.centerY",
            .outOfRange("from -10 to 10")),
        Malformed(
            firstRegion, firstRegion.replacing("\"centerY\": 0.25", with: "\"radius\": 1"),
            "frames[0].regions[0].shape",
            .json(.unknownKey("radius"))),
        Malformed(
            "\"coverWhole\": true", "\"coverWhole\": \"yes\"", "frames[3].coverWhole",
            .json(.wrongType(expected: "true or false", found: "a string"))),
    ]

    @Test(arguments: cases)
    func `a malformed plan is refused with its place`(_ malformed: Malformed) throws {
        let text = String(decoding: try RedactionPlan.sample().encoded(), as: UTF8.self)
        let found = try #require(text.range(of: malformed.find), "the sample has no such text")
        let changed = text.replacingCharacters(in: found, with: malformed.replace)
        let lines = changed.split(separator: "\n", omittingEmptySubsequences: false)
        let mark = malformed.lineWith ?? malformed.replace
        let line = try #require(lines.firstIndex { $0.contains(mark) }) + 1
        do throws(PlanError) {
            _ = try RedactionPlan(json: changed.bytes)
            Issue.record("was read")
        } catch {
            #expect(error.reason == malformed.reason)
            #expect(error.path.description == malformed.path)
            #expect(error.position?.line == line)
            #expect(!error.advice.isEmpty)
        }
    }

    @Test(arguments: ["", "{", "[]", "nonsense", "{\"version\": 1}", "{\"version\": 1} {}", "\u{FEFF}{}"])
    func `what is not a plan at all is refused`(_ text: String) {
        #expect(throws: PlanError.self) { try RedactionPlan(json: text.bytes) }
    }

    @Test func `a plan with fewer than two keyframes in a manual track is refused with advice`() {
        var plan = RedactionPlan.sample()
        plan.manual[0].keyframes.removeLast()
        do throws(PlanError) {
            _ = try plan.encoded()
            Issue.record("was written")
        } catch {
            #expect(error.reason == .tooFewKeyframes(1))
            #expect(error.path.description == "manual[0].keyframes")
            #expect(error.advice == "Add a keyframe where the face appears and one where it goes.")
        }
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func `numbers that JSON does not have are never written`(_ value: Double) {
        var plan = RedactionPlan.sample()
        plan.frames[0].regions[0].shape.angle = value
        #expect(throws: PlanError.self) { try plan.encoded() }
        plan = .sample()
        plan.frames[0].regions[0].shape.center.x = value
        #expect(throws: PlanError.self) { try plan.encoded() }
        plan = .sample()
        plan.settings.linger = value
        #expect(throws: PlanError.self) { try plan.encoded() }
    }

    @Test func `text from a file cannot steer the terminal`() throws {
        let text = String(decoding: try RedactionPlan.sample().encoded(), as: UTF8.self)
            .replacing("\"version\": 1", with: "\"\\u001b[2J\\u202e\\n\(String(repeating: "x", count: 99))\": 1")
        do throws(PlanError) {
            _ = try RedactionPlan(json: text.bytes)
            Issue.record("was read")
        } catch {
            #expect(error.description.unicodeScalars.allSatisfy { $0.value >= 32 && $0 != "\u{202E}" })
            #expect(error.description.count < 200)
        }
    }

    @Test func `the example in the documentation is a plan, written as plans are`() throws {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/plan.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "```json\n")).upperBound
        let end = try #require(text.range(of: "```", range: start..<text.endIndex)).lowerBound
        let plan = try RedactionPlan(json: String(text[start..<end]).bytes)
        #expect(String(decoding: try plan.encoded(), as: UTF8.self) == text[start..<end])
        #expect(try plan.expandingManualTracks().frames[2].regions.map(\.track) == [1, 7])
        var settings = AnalysisSettings()
        (settings.detectEvery, settings.detectSize) = (3, 960)
        #expect(plan.settings == settings)
    }
}
