import Glibc
import VeilCore
import VeilLive
import VeilMedia
import VeilPipeline
import VeilPixels

/// `veil live`: a covered picture of a camera, as long as it runs.
struct LiveVerbCommand {
    private let options: Options
    private let console: Console

    init(_ options: Options, console: Console) {
        self.options = options
        self.console = console
    }

    func run() -> ExitCode {
        if options.value(Flags.Live.listDevices) {
            let text = LiveDevices.list().map { sanitised($0) + "\n" }.joined()
            do throws(WriteError) { try writeWhole(text, to: Terminal.standardOutput) } catch { return .inputFailed }
            return .done
        }
        guard let name = options.value(Flags.Live.input) ?? LiveDevices.defaultCamera() else {
            console.line("veil: there is no camera here; --input names another source, --list-devices shows devices")
            return .inputFailed
        }
        do throws(VeilError) {
            let settings = try settings(for: name)
            return try run(settings)
        } catch {
            console.line(ErrorText.line(error, input: name))
            return .inputFailed
        }
    }

    private func run(_ settings: LiveSettings) throws(VeilError) -> ExitCode {
        let isQuiet = options.value(Flags.quiet)
        let console = console
        if settings.failsOpen, !isQuiet {
            console.line(
                "veil: --fail-open: faces may be bare at the start, after cuts, and when the detector is late")
        }
        let observer = LiveSession.Observer(
            notice: { console.line("veil: \(sanitised($0))") },
            progress: { stats in if !isQuiet { console.setStatus(LiveText.status(stats)) } },
            isInterrupted: { Interruption.isRequested })
        let session = try LiveSession(settings, models: options.value(Flags.models), observer: observer)
        if options.value(Flags.Live.control) == "-" { listen(session.command) }
        let stats: LiveStats
        do throws(VeilError) {
            stats = try session.run()
            console.setStatus("")
        } catch {
            console.setStatus("")
            throw error
        }
        if !isQuiet { for line in LiveText.summary(stats) { console.line("veil: \(sanitised(line))") } }
        if options.value(Flags.Live.stats) == .json {
            let isTaken = options.value(Flags.Live.output).contains("-")
            do throws(WriteError) {
                try writeWhole(
                    LiveText.json(stats) + "\n", to: isTaken ? Terminal.standardError : Terminal.standardOutput)
            } catch { return .inputFailed }
        }
        return .done
    }

    /// Reads commands in a thread that ends with the program.
    private func listen(_ command: @escaping @Sendable (LiveCommand) -> Void) {
        let console = console
        LiveThread.detach("veil-control") {
            while let line = readLine() {
                if line.isEmpty { continue }
                if let known = LiveCommand(line: line) {
                    command(known)
                } else {
                    console.line("veil: control: '\(sanitised(line))' is no command")
                }
            }
        }
    }

    // MARK: Settings

    private func settings(for name: String) throws(VeilError) -> LiveSettings {
        var input = LiveInputSettings(LiveAddress(name))
        if let size = options.value(Flags.Live.size) { input.size = (size.width, size.height) }
        input.rate = options.value(Flags.Live.rate)
        input.inputFormat = options.value(Flags.Live.inputFormat)
        input.isPaced = options.value(Flags.Live.pace) || input.address.isEndless
        var settings = LiveSettings(input: input)
        settings.microphone = options.value(Flags.Live.mic).map { mic in
            let address = LiveAddress(mic)
            guard case .device = address else { return LiveInputSettings(.device(format: "alsa", name: mic)) }
            var sound = LiveInputSettings(address)
            sound.isPaced = address.isEndless
            return sound
        }
        settings.outputs = try outputs()
        settings.encoding.crf = options.value(Flags.Live.crf)
        settings.encoding.preset = options.value(Flags.Live.preset)
        settings.overwrite = options.value(Flags.force)
        settings.joinsTakes = options.value(Flags.Live.join)
        settings.reconnects = options.value(Flags.Live.reconnect)
        settings.duration = options.value(Flags.Live.duration)
        settings.chain = FilterChain(covering: options)
        settings.maskScale = options.value(Flags.Live.maskScale)
        settings.maxAge = options.value(Flags.Live.maxAge)
        settings.failsOpen = options.value(Flags.Live.failOpen)
        settings.delay =
            switch options.value(Flags.Live.delay) {
            case .seconds(let value): .fixed(value)
            case .auto: .auto
            }
        settings.linger = options.value(Flags.Live.linger)
        settings.threshold = options.value(Flags.Live.threshold)
        settings.detectSize = options.value(Flags.Live.detectSize)
        settings.threads = options.value(Flags.Live.threads)
        settings.view.aspect = options.value(Flags.Live.crop).aspect
        settings.view.zoom = options.value(Flags.Live.zoom)
        settings.view.isMirrored = options.value(Flags.Live.mirror)
        settings.view.quarterTurns = options.value(Flags.Live.rotate).quarterTurns
        let shown = options.value(Flags.Live.show)
        settings.showsBoxes = shown.contains(.boxes)
        settings.showsMask = shown.contains(.mask)
        settings.showsNumbers = shown.contains(.numbers)
        return settings
    }

    private func outputs() throws(VeilError) -> [LiveOutput] {
        var outputs: [LiveOutput] = []
        for name in options.value(Flags.Live.output) {
            if name == "window" {
                outputs.append(.window)
                continue
            }
            do throws(MediaError) {
                outputs.append(.target(try LiveTarget(name, format: options.value(Flags.Live.format))))
            } catch { throw .media(error) }
        }
        if let serve = options.value(Flags.Live.serve) {
            if !serve.isLoopback {
                console.line("veil: warning: --serve: whoever can reach \(sanitised(serve.address)) can watch")
            }
            outputs.append(.serve(address: serve.address, port: serve.port))
        }
        return outputs.isEmpty ? [.window] : outputs
    }
}
