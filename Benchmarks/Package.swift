// swift-tools-version: 6.0
import PackageDescription

// A package of its own, so that a plain build of Veil builds no benchmarks. Run them in release:
//
//     swift run -c release --package-path Benchmarks bench
//     swift run -c release --package-path Benchmarks leak ORIGINAL REDACTED TRUTH.json
//     swift run -c release --package-path Benchmarks kernels
//     swift run -c release --package-path Benchmarks attack
//     swift run -c release --package-path Benchmarks soak

/// Counting leaks is work on pixels: optimised in debug builds too, so that its tests are quick.
let pixelSettings: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "veil", path: "..")],
    targets: [
        // The kernels are internal to VeilPixels, so its sources are compiled in by a link.
        .executableTarget(name: "kernels", path: "kernels"),
        .executableTarget(
            name: "attack", dependencies: [.product(name: "VeilPixels", package: "veil")], path: "attack"),
        .target(
            name: "LeakCounter",
            dependencies: [
                .product(name: "VeilMedia", package: "veil"), .product(name: "VeilPixels", package: "veil"),
            ],
            swiftSettings: pixelSettings),
        .executableTarget(name: "leak", dependencies: ["LeakCounter"], path: "Sources/Leak"),
        .executableTarget(name: "bench", dependencies: ["LeakCounter"], path: "Sources/Bench"),
        .executableTarget(name: "soak", path: "Sources/Soak"),
        .testTarget(name: "LeakCounterTests", dependencies: ["LeakCounter"]),
    ]
)
