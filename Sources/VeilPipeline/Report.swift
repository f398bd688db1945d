import VeilCore

/// What was done to a file, as JSON for programs. It says where the faces are, so it is its owner's to read.
public struct Report: Sendable {
    /// Of the report's form; a change that readers must know of raises it.
    public static let version = 1

    public var input: String
    public var output: String
    public var result: RedactionResult

    public init(input: String, output: String, result: RedactionResult) {
        self.input = input
        self.output = output
        self.result = result
    }

    /// - Throws: `PlanError` for a plan that isn't valid.
    public func encoded() throws(PlanError) -> [UInt8] {
        let summary = try PlanSummary(result.plan)
        var json = JSONWriter()
        json.beginObject(.lines)
        json.key("version")
        json.value(Self.version)
        for (key, text) in [("input", input), ("output", output), ("encoder", result.encoder)] {
            json.key(key)
            json.value(text)
        }
        json.key("framesWritten")
        json.value(result.framesWritten)
        json.key("framesCoveredWhole")
        json.value(result.framesCoveredWhole)
        json.key("analysisSeconds")
        json.value(result.analysisSeconds)
        json.key("renderSeconds")
        json.value(result.renderSeconds)
        json.key("notices")
        json.beginArray(.lines)
        for notice in result.notices { json.value(notice) }
        json.endArray()
        json.key("summary")
        summary.write(to: &json)
        json.endObject()
        return json.finish()
    }
}
