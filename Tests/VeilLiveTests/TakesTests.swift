import Testing
import VeilMedia
import VeilTestSupport

@testable import VeilLive

@Suite struct `The takes of a recording` {
    private static func picture(_ time: Double) throws -> ShownFrame {
        let picture = try SharedFrame(width: 64, height: 48, luma: Array(repeating: 90, count: 64 * 48))
        return ShownFrame(
            picture: picture, time: time, arrival: time, verdict: .faces, regions: [], masks: [], age: nil)
    }

    @Test func `never replace one another, and go on as they were after a failure`() throws {
        let folder = try TemporaryFolder()
        let target = try LiveTarget(folder.file("rec.mkv"))
        var settings = WriterSink.Settings(
            target: target, encoding: LiveEncoding(), overwrite: true, joinsTakes: false, rate: 25, hasSound: false)
        settings.overwrite = true
        let takes = Takes()
        func sink() -> WriterSink { WriterSink(settings, takes: takes, notice: { _ in }, isGivenUp: { false }) }
        var first = sink()
        try first.write(Self.picture(0))
        try first.toggleRecording()
        try first.toggleRecording()
        try first.write(Self.picture(1))
        // The sink fails, and another one takes its place.
        first = sink()
        try first.write(Self.picture(2))
        try first.toggleRecording()
        // One that fails while it is stopped doesn't record again by itself.
        let second = sink()
        try second.write(Self.picture(3))
        try second.finish()
        let names = ["rec.mkv", "rec-2.mkv", "rec-3.mkv", "rec-4.mkv"]
        #expect(names.map { FileBytes.exists(folder.file($0)) } == [true, true, true, false])
    }
}
