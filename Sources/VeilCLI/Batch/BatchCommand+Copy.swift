import VeilBatch
import VeilMedia

extension BatchCommand {
    /// Copies a file that is neither a picture nor a video, unless it begins like one.
    func copy(_ item: Mirror.Item, _ failures: inout [String]) throws(BatchError) {
        let overwrite: Bool
        switch try ledger.verdict(item, by: .copies, tick: tick) {
        case .upToDate: return
        case .due(_, let may, _): overwrite = may
        case .refused(let words), .failedBefore(_, let words):
            failures.append("veil: \(sanitised("\(item.source): \(words)"))")
            return
        }
        if MediaKind.looksLikeMedia(Files.head(item.source)) {
            display.tell(
                "veil: \(sanitised(item.source)): note: it begins like a picture or video and is not copied; name it itself to "
                    + "have it redacted")
            return
        }
        try Files.makeFolder(Files.folder(of: item.output))
        try ledger.begin(item)
        if let words = write(item, overwrite: overwrite) {
            try ledger.drop(item)
            if !Interruption.isRequested { failures.append("veil: \(sanitised(words))") }
            return
        }
        guard let source = try KnownFile.read(item.source, tick: tick),
            let output = try KnownFile.read(item.output, tick: tick), source.sha256 == output.sha256
        else { return }
        let maker = Ledger.Maker.copies
        try ledger.finish(
            item,
            ManifestEntry(
                key: item.key, sourcePath: item.source, source: source, settings: maker.settings,
                program: maker.program,
                models: maker.models, result: .written(output), details: FileDetails()))
    }

    /// - Returns: why it couldn't be copied; nil when it was.
    private func write(_ item: Mirror.Item, overwrite: Bool) -> String? {
        let file: AtomicOutput
        do throws(MediaError) {
            file = try AtomicOutput(path: item.output, input: item.source, overwrite: overwrite)
        } catch { return ErrorText.media(error, input: item.source) }
        do throws(BatchError) { try Files.copy(item.source, into: file.partPath, tick: tick) } catch {
            return "\(error)"
        }
        do throws(MediaError) { try file.commit() } catch { return ErrorText.media(error, input: item.source) }
        return nil
    }
}
