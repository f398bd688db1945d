import Foundation
import LeakCounter

/// Runs the programs on one clip and scores what they wrote.
struct Measure {
    let tools: Tools
    let minimumFace: Double
    /// For outputs.
    let folder: URL
    let say: (String) -> Void

    func clip(_ clip: Clip) throws(BenchError) -> ClipResult {
        let input = clip.file.path
        let codec = try codec(of: input)
        let plan = output(clip, "plan", "json")
        let rendered = output(clip, "rendered", clip.file.pathExtension)
        let redacted = output(clip, "redacted", clip.file.pathExtension)
        let transcoded = output(clip, "transcoded", clip.file.pathExtension)

        let analyse = try step(clip, "detect", [tools.veil, "detect", input, "-o", plan, "--force", "-q"])
        let render = try step(
            clip, "redact --plan", [tools.veil, "redact", input, "--plan", plan, "-o", rendered, "--force", "-q"])
        let whole = try step(clip, "whole run", [tools.veil, input, "-o", redacted, "--force", "-q"])
        let transcode = try step(clip, "transcode", transcodeCommand(input, transcoded, codec: codec))
        let original = try shape(of: clip)
        var result = ClipResult(
            name: clip.name, width: original.width, height: original.height, frames: original.frames,
            isLabelled: clip.truth != nil, analyse: analyse, render: render, whole: whole, transcode: transcode)
        if whole.failure == nil { result.score = try score(clip, redacted, pairing: .index, original.frames) }
        if let deface = tools.deface {
            // It writes what imageio writes into any container, so MP4 will do.
            let (plain, small) = (output(clip, "defaced", "mp4"), output(clip, "defaced-640x360", "mp4"))
            let first = try step(clip, "deface", [deface, input, "-o", plain])
            if first.failure == nil { result.defaceScore = try score(clip, plain, pairing: .time, original.frames) }
            let second = try step(clip, "deface --scale", [deface, input, "-o", small, "--scale", "640x360"])
            if second.failure == nil {
                result.defaceSmallScore = try score(clip, small, pairing: .time, original.frames)
            }
            (result.deface, result.defaceSmall) = (first, second)
        }
        return result
    }

    /// Removes what was made from a clip.
    func removeOutputs(of clip: Clip) {
        let files = (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)) ?? []
        for file in files where file.lastPathComponent.hasPrefix("\(clip.name).") {
            try? FileManager.default.removeItem(at: file)
        }
    }

    private func output(_ clip: Clip, _ what: String, _ ending: String) -> String {
        folder.appendingPathComponent("\(clip.name).\(what).\(ending)").path
    }

    private func step(_ clip: Clip, _ title: String, _ command: [String]) throws(BenchError) -> Step {
        let (usage, words) = try Child.run(command, folder: folder)
        guard usage.exitCode == 0 else {
            let said = words.split(whereSeparator: \.isNewline).suffix(3).joined(separator: " ")
            say("\(clip.name): \(title) failed with \(usage.exitCode): \(said)")
            return Step(usage: usage, failure: said.isEmpty ? "exit code \(usage.exitCode)" : said)
        }
        say("\(clip.name): \(title) \(String(format: "%.2f", usage.cpu)) s")
        return Step(usage: usage)
    }

    // MARK: Scoring

    private func shape(of clip: Clip) throws(BenchError) -> (width: Int, height: Int, frames: Int) {
        do {
            let reader = try LumaReader(file: clip.file.path)
            guard let first = try reader.next() else { throw BenchError.failed("\(clip.name) shows no frame") }
            return (first.luma.width, first.luma.height, try countFrames(of: clip.file.path))
        } catch let error as BenchError {
            throw error
        } catch {
            throw .failed("\(clip.name): \(error)")
        }
    }

    /// Files with another number of frames are scored by time, and the table shows both numbers.
    private func score(_ clip: Clip, _ redacted: String, pairing: FramePairing, _ frames: Int) throws(BenchError)
        -> Score
    {
        do throws(LeakError) {
            let shown = try countFrames(of: redacted)
            let pairing = shown == frames ? pairing : .time
            let tally = try countLeaks(
                original: clip.file.path, redacted: redacted, truth: clip.truth ?? FaceTruth(frames: [:]),
                pairing: pairing, minimumFace: minimumFace)
            return Score(
                frames: shown, pairing: pairing, faceFrames: tally.faceFrames, leaked: tally.leaked,
                tracks: tally.tracks, leakingTracks: tally.leakingTracks, longestRun: tally.longestRun,
                touched: tally.touched, outsidePSNR: tally.outsidePSNR)
        } catch {
            throw .failed("\(clip.name): \(error)")
        }
    }

    // MARK: The plain transcode

    private func codec(of file: String) throws(BenchError) -> String {
        let output = try Child.capture([
            tools.ffprobe, "-v", "error", "-select_streams", "v:0", "-show_entries", "stream=codec_name", "-of",
            "default=noprint_wrappers=1:nokey=1", file,
        ]).output
        guard let codec = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline).first else {
            throw .failed("\(file) has no picture stream that ffprobe knows")
        }
        return String(codec)
    }

    /// The same codec at veil's defaults, everything else copied, no frame dropped or doubled.
    private func transcodeCommand(_ input: String, _ output: String, codec: String) -> [String] {
        let encoder: [String] =
            switch codec {
            case "h264": ["libx264", "-preset", "medium", "-crf", "18"]
            case "hevc": ["libx265", "-preset", "medium", "-crf", "18", "-x265-params", "log-level=error"]
            case "vp9": ["libvpx-vp9", "-crf", "18", "-b:v", "0", "-cpu-used", "3", "-row-mt", "1"]
            case "av1": ["libsvtav1", "-crf", "18", "-preset", "7"]
            case "prores": ["prores_ks"]
            case "mpeg4", "mpeg2video", "mpeg1video", "mjpeg": [codec, "-q:v", "2"]
            default: [codec]
            }
        return [
            tools.ffmpeg, "-hide_banner", "-nostdin", "-loglevel", "error", "-y", "-i", input, "-map", "0", "-c",
            "copy", "-fps_mode", "passthrough", "-c:v",
        ] + encoder + [output]
    }
}
