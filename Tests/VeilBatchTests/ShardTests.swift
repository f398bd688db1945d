import Testing
import VeilTestSupport

@testable import VeilBatch

@Suite struct ShardTests {
    @Test func `a split is fair, whole and the same on every machine`() {
        var random = SplitMix(seed: 3)
        let listing = (0..<500).map { (name: "f\($0)", weight: Int.random(in: 1...1000, using: &random)) }
        for count in [1, 2, 7, 16] {
            let split = Shard.split(listing, into: count)
            #expect(split.count == 500 && split.allSatisfy { (1...count).contains($0) })
            var loads = [Int](repeating: 0, count: count)
            for (place, shard) in split.enumerated() { loads[shard - 1] += listing[place].weight }
            let fair = Double(loads.reduce(0, +)) / Double(count)
            #expect(Double(loads.max() ?? 0) <= fair * 4 / 3 && Double(loads.min() ?? 0) >= fair * 0.9)
            // The order in which a machine lists them doesn't matter.
            let order = listing.indices.shuffled(using: &random)
            let shuffled = Shard.split(order.map { listing[$0] }, into: count)
            #expect(order.indices.allSatisfy { shuffled[$0] == split[order[$0]] })
        }
    }

    @Test func `with more shards than files some have none`() {
        #expect(Shard.split([("a", 5), ("b", 5)], into: 4) == [1, 2])
    }

    @Test(arguments: [
        (
            "auto",
            [
                "SLURM_ARRAY_TASK_ID": "7", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_STEP": "3",
                "SLURM_ARRAY_TASK_COUNT": "4",
            ], "3-of-4"
        ),
        ("auto", ["SLURM_ARRAY_TASK_ID": "0", "SLURM_ARRAY_TASK_COUNT": "2"], "1-of-2"),
        ("auto/4", ["SLURM_ARRAY_TASK_ID": "3"], "4-of-4"), ("auto/3", ["JOB_COMPLETION_INDEX": "2"], "3-of-3"),
        ("auto/3", ["AWS_BATCH_JOB_ARRAY_INDEX": "0"], "1-of-3"), ("2/5", ["JOB_COMPLETION_INDEX": "0"], "2-of-5"),
        ("auto", ["JOB_COMPLETION_INDEX": "2"], nil), ("auto/2", ["JOB_COMPLETION_INDEX": "2"], nil),
        ("auto/2", [:], nil),
        ("auto/2", ["JOB_COMPLETION_INDEX": "x"], nil), ("auto/2", ["JOB_COMPLETION_INDEX": "-1"], nil),
        ("auto/9", ["SLURM_ARRAY_TASK_ID": "1", "SLURM_ARRAY_TASK_COUNT": "4"], nil),
        (
            "auto",
            [
                "SLURM_ARRAY_TASK_ID": "2", "SLURM_ARRAY_TASK_MIN": "1", "SLURM_ARRAY_TASK_STEP": "3",
                "SLURM_ARRAY_TASK_COUNT": "4",
            ], nil
        ),
    ])
    func `a shard is told, or read from a scheduler's environment`(
        text: String, environment: [String: String], name: String?
    ) throws {
        let choice = try #require(Shard.Choice(text))
        #expect((try? Shard(choice) { environment[$0] })?.name == name)
    }

    @Test(arguments: ["0/4", "5/4", "1/0", "1", "a/b", "", "auto/0", "auto/x", "1/2/3", "-1/2"])
    func `what isn't a share is refused`(text: String) { #expect(Shard.Choice(text) == nil) }
}
