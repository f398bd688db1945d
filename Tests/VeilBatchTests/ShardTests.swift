import Testing
import VeilTestSupport

@testable import VeilBatch

@Suite struct ShardTests {
    @Test func `a split is fair, whole and the same on every machine`() {
        var random = Numbers(3)
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

    struct Setting: Sendable {
        var text: String
        /// As a shell has them: "A=1 B=2".
        var variables: String
        var shard: String?
    }

    private static let slurm = "SLURM_ARRAY_TASK_MIN=1 SLURM_ARRAY_TASK_STEP=3 SLURM_ARRAY_TASK_COUNT=4 "

    static let settings: [Setting] = [
        Setting(text: "auto", variables: slurm + "SLURM_ARRAY_TASK_ID=7", shard: "3-of-4"),
        Setting(text: "auto", variables: "SLURM_ARRAY_TASK_ID=0 SLURM_ARRAY_TASK_COUNT=2", shard: "1-of-2"),
        Setting(text: "auto/4", variables: "SLURM_ARRAY_TASK_ID=3", shard: "4-of-4"),
        Setting(text: "auto/3", variables: "JOB_COMPLETION_INDEX=2", shard: "3-of-3"),
        Setting(text: "auto/3", variables: "AWS_BATCH_JOB_ARRAY_INDEX=0", shard: "1-of-3"),
        Setting(text: "2/5", variables: "JOB_COMPLETION_INDEX=0", shard: "2-of-5"),
        Setting(text: "auto", variables: "JOB_COMPLETION_INDEX=2"),
        Setting(text: "auto/2", variables: "JOB_COMPLETION_INDEX=2"),
        Setting(text: "auto/2", variables: ""),
        Setting(text: "auto/2", variables: "JOB_COMPLETION_INDEX=x"),
        Setting(text: "auto/2", variables: "JOB_COMPLETION_INDEX=-1"),
        Setting(text: "auto/9", variables: "SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=4"),
        Setting(text: "auto", variables: slurm + "SLURM_ARRAY_TASK_ID=2"),
    ]

    @Test(arguments: settings)
    func `a shard is told, or read from a scheduler's environment`(setting: Setting) throws {
        let choice = try #require(Shard.Choice(setting.text))
        var environment: [String: String] = [:]
        for pair in setting.variables.split(separator: " ") {
            let parts = pair.split(separator: "=").map(String.init)
            environment[parts[0]] = parts[1]
        }
        #expect((try? Shard(choice) { environment[$0] })?.name == setting.shard)
    }

    @Test(arguments: ["0/4", "5/4", "1/0", "1", "a/b", "", "auto/0", "auto/x", "1/2/3", "-1/2"])
    func `what isn't a share is refused`(text: String) { #expect(Shard.Choice(text) == nil) }
}
