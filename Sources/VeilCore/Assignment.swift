/// Minimum-cost bipartite assignment: who goes with whom at the least total cost.
public enum Assignment {
    /// Pairs rows with columns so that as many as possible are paired and, among such pairings, the total cost is least.
    ///
    /// The Hungarian method by shortest augmenting paths with potentials (R. Jonker, A. Volgenant, "A shortest augmenting
    /// path algorithm for dense and sparse linear assignment problems", Computing 38, 1987): O(s² · l) time for the
    /// shorter side s and the longer side l.
    ///
    /// - Parameters:
    ///   - costs: row by row, `rows` × `columns`.
    ///   - forbidden: pairs that cost this much or more are never made; nor are those whose cost is NaN or infinite.
    /// - Returns: for each row its column, or nil.
    public static func minimumCost(
        _ costs: [Double], rows: Int, columns: Int, forbidden: Double = .infinity
    ) -> [Int?] {
        precondition(rows >= 0 && columns >= 0 && costs.count == rows * columns, "costs of another size")
        func isAllowed(_ cost: Double) -> Bool { cost.isFinite && cost < forbidden }
        guard let least = costs.lazy.filter(isAllowed).min(), let most = costs.lazy.filter(isAllowed).max() else {
            return Array(repeating: nil, count: rows)
        }
        // A forbidden pair costs more than all that allowed pairs could save by making it.
        let range = most - least
        let penalty = (range > 0 ? range : 1) * Double(min(rows, columns) + 2)
        let isWide = rows <= columns
        let (short, long) = isWide ? (rows, columns) : (columns, rows)
        // Of the shorter side's i-th and the longer side's j-th; never negative.
        func cost(_ i: Int, _ j: Int) -> Double {
            let value = costs[isWide ? i * columns + j : j * columns + i]
            return isAllowed(value) ? value - least : penalty
        }

        // Numbered from 1; 0 stands for none.
        var shortPotential = [Double](repeating: 0, count: short + 1)
        var longPotential = [Double](repeating: 0, count: long + 1)
        var partner = [Int](repeating: 0, count: long + 1)
        var previous = [Int](repeating: 0, count: long + 1)
        var distance = [Double](repeating: 0, count: long + 1)
        var isDone = [Bool](repeating: false, count: long + 1)
        for i in 0..<short {
            partner[0] = i + 1
            for j in 0...long {
                distance[j] = .infinity
                isDone[j] = false
            }
            var current = 0
            repeat {
                isDone[current] = true
                let row = partner[current]
                var (nearest, step) = (0, Double.infinity)
                for j in 1...long where !isDone[j] {
                    let reduced = cost(row - 1, j - 1) - shortPotential[row] - longPotential[j]
                    if reduced < distance[j] {
                        distance[j] = reduced
                        previous[j] = current
                    }
                    if distance[j] < step {
                        step = distance[j]
                        nearest = j
                    }
                }
                for j in 0...long {
                    if isDone[j] {
                        shortPotential[partner[j]] += step
                        longPotential[j] -= step
                    } else {
                        distance[j] -= step
                    }
                }
                current = nearest
            } while partner[current] != 0
            // Turn the path around.
            while current != 0 {
                partner[current] = partner[previous[current]]
                current = previous[current]
            }
        }

        var result = [Int?](repeating: nil, count: rows)
        for j in 0..<long where partner[j + 1] != 0 {
            let i = partner[j + 1] - 1
            let (row, column) = isWide ? (i, j) : (j, i)
            if isAllowed(costs[row * columns + column]) { result[row] = column }
        }
        return result
    }
}
