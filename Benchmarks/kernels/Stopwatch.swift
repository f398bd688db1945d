import Foundation

/// Least time of many runs, in nanoseconds: what the machine can do when nobody disturbs it.
func leastTime(_ body: () -> Void) -> Double {
    let clock = ContinuousClock()
    var least = Double.infinity
    let start = clock.now
    var runs = 0
    while runs < 10 || start.duration(to: clock.now) < .milliseconds(300) {
        let time = clock.measure(body)
        least = min(least, Double(time.components.seconds) * 1e9 + Double(time.components.attoseconds) / 1e9)
        runs += 1
    }
    return least
}

/// Prints one result: time per sample, and how many times as long as the yardstick.
func report(_ title: String, _ time: Double, samples: Int, yardstick: Double, _ name: String) {
    func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
    let perSample = String(format: "%.3f ns", time / Double(samples))
    print(padded(title, 74) + padded(perSample, 11) + String(format: "%6.2f × ", time / yardstick) + name)
}
