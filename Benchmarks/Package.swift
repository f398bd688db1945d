// swift-tools-version: 6.0
import PackageDescription

// A package of its own, so that a plain build of Veil builds no benchmarks. Run them in release:
//
//     swift run -c release --package-path Benchmarks kernels
//     swift run -c release --package-path Benchmarks attack

let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "veil", path: "..")],
    targets: [
        // The kernels are internal to VeilPixels, so its sources are compiled in by a link.
        .executableTarget(name: "kernels", path: "kernels"),
        .executableTarget(
            name: "attack", dependencies: [.product(name: "VeilPixels", package: "veil")], path: "attack"),
    ]
)
