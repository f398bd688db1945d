import VeilBatch
import VeilCore
import VeilMedia
import VeilPipeline

/// How much work files are, for a fair split: pixels times seconds, from what their containers say.
///
/// Containers are opened in a worker that may read these files and write nothing. A file that brings it down counts as one
/// that can't be read, on every machine alike.
struct Weighing {
    private let options: Options
    /// By place in the listing.
    private(set) var weights: [Int]

    /// What a file weighs that says nothing: as much as opening it costs.
    private static let least = 1 << 16
    /// A picture is as much work as a moment of video.
    private static let moment = 0.25

    init(_ paths: [String], _ options: Options) {
        self.options = options
        weights = Array(repeating: Self.least, count: paths.count)
        var next = 0
        while next < paths.count, !Interruption.isRequested { next = weigh(paths, from: next) }
    }

    /// - Returns: where to go on, behind the file that ended the worker.
    private mutating func weigh(_ paths: [String], from first: Int) -> Int {
        var pool = WorkerPool()
        let options = options
        var reached = first
        let code = pool.start(job: 0) { pipe in
            let voice = WorkerVoice(pipe)
            if !options.value(Flags.noSandbox) { _ = Sandbox(inputs: Array(paths[first...])).enter(models: nil) }
            for path in paths[first...] {
                var json = JSONWriter()
                json.beginArray()
                json.value(Self.weight(of: path))
                json.endArray()
                voice.send(json)
            }
            return 0
        }
        guard code == 0 else { return paths.count }
        while pool.count > 0 {
            if Interruption.isRequested { pool.send(15) }
            for case .line(_, let line) in pool.poll(milliseconds: 100) where reached < paths.count {
                weights[reached] = Self.number(line) ?? Self.least
                reached += 1
            }
        }
        return reached + (reached < paths.count ? 1 : 0)
    }

    private static func number(_ line: [UInt8]) -> Int? {
        do throws(JSONError) {
            var json = try JSONReader(line)
            try json.beginArray()
            guard try json.nextElement() else { return nil }
            return max(0, min(try json.readInt(), 1 << 50))
        } catch { return nil }
    }

    private static func weight(of path: String) -> Int {
        do throws(MediaError) {
            let file = try Demuxer(file: path)
            guard let picture = StreamPolicy.mainPicture(of: file.streams) else { return least }
            let pixels = Double(max(1, picture.width) * max(1, picture.height))
            let weight = pixels * max(file.duration ?? 0, moment)
            return weight.isFinite ? max(least, Int(min(weight, 1e15))) : least
        } catch { return least }
    }
}

extension BatchCommand {
    /// The items of one share.
    func share(_ items: [Mirror.Item], _ shard: Shard, _ options: Options) -> [Mirror.Item] {
        let weights = Weighing(items.map(\.source), options).weights
        let shares = Shard.split(zip(items, weights).map { ($0.key, $1) }, into: shard.count)
        return zip(items, shares).filter { $1 == shard.index }.map(\.0)
    }
}
