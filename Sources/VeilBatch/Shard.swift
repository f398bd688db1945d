/// One machine's share of a listing: the I-th of N.
public struct Shard: Sendable, Hashable {
    /// 1…count.
    public var index: Int
    public var count: Int

    /// As part of a manifest's name.
    public var name: String { "\(index)-of-\(count)" }

    public init?(index: Int, count: Int) {
        guard count >= 1, (1...count).contains(index) else { return nil }
        self.index = index
        self.count = count
    }

    /// What `--shard` was given.
    public enum Choice: Sendable, Hashable {
        case exactly(Shard)
        /// The scheduler's environment says which; the count is given where it doesn't say that.
        case automatic(count: Int?)

        /// `2/8`, `auto` or `auto/8`.
        public init?(_ text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            if parts.first == "auto" {
                guard parts.count <= 2 else { return nil }
                let count = parts.count == 2 ? Int(parts[1]) : nil
                if parts.count == 2 && (count ?? 0) < 1 { return nil }
                self = .automatic(count: count)
                return
            }
            guard parts.count == 2, let index = Int(parts[0]), let count = Int(parts[1]),
                let shard = Shard(index: index, count: count)
            else { return nil }
            self = .exactly(shard)
        }
    }

    /// Why the environment doesn't say which shard it is.
    public struct EnvironmentError: Error, Sendable, Hashable, CustomStringConvertible {
        public var description: String
    }

    /// The shard that was chosen, out of a scheduler's variables where it is left to them.
    ///
    /// - Slurm's arrays: (`SLURM_ARRAY_TASK_ID` − `_MIN`) ÷ `_STEP`, of `_COUNT`.
    /// - Kubernetes' indexed jobs: `JOB_COMPLETION_INDEX`, from 0; AWS Batch's arrays: `AWS_BATCH_JOB_ARRAY_INDEX`, from 0.
    ///   Neither says how many there are.
    public init(_ choice: Choice, environment: (String) -> String?) throws(EnvironmentError) {
        switch choice {
        case .exactly(let shard): self = shard
        case .automatic(let count): self = try Self.automatic(count, environment)
        }
    }

    private static func automatic(
        _ count: Int?, _ environment: (String) -> String?
    ) throws(EnvironmentError) -> Shard {
        func number(_ name: String) throws(EnvironmentError) -> Int? {
            guard let text = environment(name), !text.isEmpty else { return nil }
            guard let value = Int(text) else { throw EnvironmentError(description: "\(name) is no number: '\(text)'") }
            return value
        }
        let (place, source, known): (Int, String, Int?)
        if let id = try number("SLURM_ARRAY_TASK_ID") {
            let step = try number("SLURM_ARRAY_TASK_STEP") ?? 1
            let distance = id.subtractingReportingOverflow(try number("SLURM_ARRAY_TASK_MIN") ?? 0)
            guard step > 0, !distance.overflow, distance.partialValue % step == 0 else {
                throw EnvironmentError(description: "SLURM_ARRAY_TASK_ID doesn't fit its _MIN and _STEP")
            }
            (place, source, known) = (
                distance.partialValue / step, "SLURM_ARRAY_TASK_ID", try number("SLURM_ARRAY_TASK_COUNT")
            )
        } else if let index = try number("JOB_COMPLETION_INDEX") {
            (place, source, known) = (index, "JOB_COMPLETION_INDEX", nil)
        } else if let index = try number("AWS_BATCH_JOB_ARRAY_INDEX") {
            (place, source, known) = (index, "AWS_BATCH_JOB_ARRAY_INDEX", nil)
        } else {
            throw EnvironmentError(
                description: "neither SLURM_ARRAY_TASK_ID nor JOB_COMPLETION_INDEX nor AWS_BATCH_JOB_ARRAY_INDEX is set"
            )
        }
        if let count, let known, count != known {
            throw EnvironmentError(
                description: "SLURM_ARRAY_TASK_COUNT is \(known), but \(count) shards were asked for")
        }
        guard let total = count ?? known else {
            throw EnvironmentError(description: "\(source) doesn't say how many there are: write auto/N")
        }
        guard (0..<total).contains(place) else {
            throw EnvironmentError(description: "\(source) is number \(place) from 0, but there are \(total) shards")
        }
        return Shard(index: place + 1, count: total) ?? Shard(only: ())
    }

    private init(only: Void) { (index, count) = (1, 1) }

    /// Shares a listing out: which shard, from 1, each place of it goes to.
    ///
    /// The heaviest first, each to the shard that has the least so far (longest processing time first; the heaviest shard is
    /// at most 4/3 of the best split's). Ties are settled by the name and the shard's number, so that every machine comes to
    /// the same split of the same listing.
    public static func split(_ listing: [(name: String, weight: Int)], into count: Int) -> [Int] {
        let order = listing.indices.sorted { a, b in
            if listing[a].weight != listing[b].weight { return listing[a].weight > listing[b].weight }
            return listing[a].name.utf8.lexicographicallyPrecedes(listing[b].name.utf8)
        }
        var loads = [(weight: Int, files: Int)](repeating: (0, 0), count: count)
        var result = [Int](repeating: 1, count: listing.count)
        for place in order {
            var least = 0
            for shard in 1..<max(1, count) where loads[shard] < loads[least] { least = shard }
            result[place] = least + 1
            loads[least].weight =
                loads[least].weight.addingReportingOverflow(max(0, listing[place].weight)).partialValue
            loads[least].files += 1
        }
        return result
    }
}
