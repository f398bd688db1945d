import Testing
import VeilCore

@Suite struct AssignmentTests {
    /// The most pairs and, among those, the least cost, by trying all.
    private func best(_ costs: [Double], _ rows: Int, _ columns: Int, _ forbidden: Double) -> (pairs: Int, cost: Double)
    {
        func search(_ row: Int, _ taken: Set<Int>) -> (pairs: Int, cost: Double) {
            if row == rows { return (0, 0) }
            var result = search(row + 1, taken)
            for column in 0..<columns where !taken.contains(column) {
                let cost = costs[row * columns + column]
                guard cost.isFinite, cost < forbidden else { continue }
                let rest = search(row + 1, taken.union([column]))
                let (pairs, total) = (rest.pairs + 1, rest.cost + cost)
                if pairs > result.pairs || (pairs == result.pairs && total < result.cost) { result = (pairs, total) }
            }
            return result
        }
        return search(0, [])
    }

    @Test(arguments: 0..<400)
    func `it is as good as trying all`(_ seed: Int) {
        var random = SeededGenerator(seed)
        let rows = Int.random(in: 0...5, using: &random)
        let columns = Int.random(in: 0...5, using: &random)
        let scale = ([1, 1e-9, 1e6] as [Double]).randomElement(using: &random) ?? 1
        let forbidden = seed % 3 == 0 ? .infinity : 0.5 * scale
        let costs = (0..<rows * columns).map { _ -> Double in
            switch Int.random(in: 0..<10, using: &random) {
            case 0: .infinity
            case 1: .nan
            // Few values, so that many are equal.
            case 2...5: Double(Int.random(in: -3...3, using: &random)) / 4 * scale
            default: random.double(-1...1) * scale
            }
        }
        let result = Assignment.minimumCost(costs, rows: rows, columns: columns, forbidden: forbidden)
        #expect(result.count == rows)
        let chosen = result.compactMap { $0 }
        #expect(Set(chosen).count == chosen.count && chosen.allSatisfy { (0..<columns).contains($0) })
        var total = 0.0
        for (row, column) in result.enumerated() {
            guard let column else { continue }
            let cost = costs[row * columns + column]
            #expect(cost.isFinite && cost < forbidden)
            total += cost
        }
        let expected = best(costs, rows, columns, forbidden)
        #expect(chosen.count == expected.pairs)
        #expect(abs(total - expected.cost) <= 1e-9 * scale)
    }

    @Test(arguments: [(0, 0), (0, 5), (5, 0)])
    func `nothing is paired with nothing`(_ rows: Int, _ columns: Int) {
        #expect(Assignment.minimumCost([], rows: rows, columns: columns) == [Int?](repeating: nil, count: rows))
    }

    @Test func `a forbidden pair stays apart even if that costs more elsewhere`() {
        // The cheap pair (0, 0) would leave row 1 alone.
        #expect(Assignment.minimumCost([0, 0.9, 0.1, 1], rows: 2, columns: 2, forbidden: 1) == [1, 0])
        #expect(Assignment.minimumCost([1, 1, 1, 1], rows: 2, columns: 2, forbidden: 1) == [nil, nil])
        #expect(Assignment.minimumCost([.nan, 2, 3, .nan], rows: 2, columns: 2) == [1, 0])
        #expect(Assignment.minimumCost([5, 1, 3], rows: 3, columns: 1) == [nil, 0, nil])
    }

    @Test func `two hundred rows and columns with a known optimum`() {
        let count = 200
        var random = SeededGenerator(9)
        let order = (0..<count).shuffled(using: &random)
        // A cost of 0 on one permutation, more than 0 elsewhere.
        let costs = (0..<count * count).map { order[$0 / count] == $0 % count ? 0 : random.double(0.01...1) }
        #expect(Assignment.minimumCost(costs, rows: count, columns: count) == order)
    }
}
