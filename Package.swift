// swift-tools-version: 6.0
import PackageDescription

// Every Swift target is compiled in the Swift 6 language mode (strict concurrency) by the tools version above.

/// The pixel kernels are some ten times slower without optimisation, so they are optimised in debug builds too.
let kernelSettings: [SwiftSetting] = [.unsafeFlags(["-O"], .when(configuration: .debug))]

/// OpenCV's modules by name: Debian's opencv4.pc would link all of them (366 shared objects, 0.4 s to start).
let openCV: [LinkerSetting] = ["core", "imgproc", "objdetect", "dnn"].map { .linkedLibrary("opencv_\($0)") }

let package = Package(
    name: "veil",
    products: [
        .executable(name: "veil", targets: ["VeilMain"]),
        .library(name: "Veil", targets: ["Veil"]),
        .library(name: "VeilMedia", targets: ["VeilCore", "VeilMedia"]),
        .library(name: "VeilPixels", targets: ["VeilPixels"]),
    ],
    targets: [
        // C and C++.
        .systemLibrary(
            name: "CFFmpeg", pkgConfig: "libavfilter libavformat libavcodec libavutil libswresample libswscale"),
        .target(
            name: "CVision",
            cxxSettings: [.unsafeFlags(["-isystem", "/usr/include/opencv4"]), .define("NDEBUG")],
            linkerSettings: openCV),
        .target(name: "CSandbox"),
        .target(name: "CJPEG", linkerSettings: [.linkedLibrary("jpeg")]),
        .target(name: "CPNG", linkerSettings: [.linkedLibrary("png16")]),
        .target(name: "CTIFF", linkerSettings: [.linkedLibrary("tiff")]),
        .systemLibrary(name: "CWebP"),
        .systemLibrary(name: "CHEIF"),
        .target(name: "CAVIF", linkerSettings: [.linkedLibrary("heif"), .linkedLibrary("aom")]),
        .target(name: "CExif", linkerSettings: [.linkedLibrary("exiv2")]),
        .target(name: "CLive"),

        // Swift, from plain values to the command line.
        .target(name: "VeilCore"),
        .target(name: "VeilDigest", dependencies: ["CFFmpeg"]),
        .target(name: "VeilPixels", dependencies: ["VeilCore"], swiftSettings: kernelSettings),
        .target(name: "VeilMedia", dependencies: ["CFFmpeg", "VeilCore", "VeilPixels"]),
        .target(name: "VeilVision", dependencies: ["CVision", "VeilCore", "VeilPixels", "VeilDigest"]),
        .target(
            name: "VeilPipeline", dependencies: ["VeilCore", "VeilDigest", "VeilPixels", "VeilMedia", "VeilVision"]),
        .target(name: "VeilBatch", dependencies: ["VeilCore", "VeilDigest"]),
        .target(
            name: "VeilStills",
            dependencies: [
                "CJPEG", "CPNG", "CTIFF", "CWebP", "CHEIF", "CAVIF", "CExif", "VeilCore", "VeilDigest", "VeilPixels",
                "VeilMedia", "VeilPipeline",
            ],
            swiftSettings: kernelSettings),
        .target(
            name: "VeilLive",
            dependencies: ["CLive", "VeilCore", "VeilPixels", "VeilMedia", "VeilVision", "VeilPipeline"]),
        .target(
            name: "VeilCLI",
            dependencies: [
                "VeilPipeline", "VeilStills", "VeilLive", "VeilMedia", "VeilVision", "VeilBatch", "CSandbox",
            ]),
        .target(name: "Veil", dependencies: ["VeilPipeline", "VeilStills"]),
        .executableTarget(name: "VeilMain", dependencies: ["VeilCLI"]),

        // Tests follow the targets; EndToEndTests runs the built program.
        .target(
            name: "VeilTestSupport", dependencies: ["VeilCore", "VeilPixels", "VeilMedia", "VeilVision"],
            path: "Tests/VeilTestSupport"),
        .testTarget(name: "VeilCoreTests", dependencies: ["VeilCore"]),
        .testTarget(name: "VeilPixelsTests", dependencies: ["VeilPixels", "VeilTestSupport"]),
        .testTarget(name: "VeilMediaTests", dependencies: ["VeilMedia", "VeilTestSupport"]),
        .testTarget(name: "VeilVisionTests", dependencies: ["VeilVision", "CVision", "VeilTestSupport"]),
        .testTarget(name: "VeilStillsTests", dependencies: ["VeilStills", "CJPEG", "VeilTestSupport"]),
        .testTarget(name: "VeilPipelineTests", dependencies: ["VeilPipeline", "Veil", "VeilTestSupport"]),
        .testTarget(name: "VeilBatchTests", dependencies: ["VeilBatch", "VeilTestSupport"]),
        .testTarget(
            name: "VeilLiveTests",
            dependencies: ["VeilLive", "VeilMedia", "VeilPipeline", "VeilVision", "VeilTestSupport"]),
        .target(name: "CSandboxProbe", dependencies: ["CSandbox"], path: "Tests/CSandboxProbe"),
        .testTarget(
            name: "VeilCLITests", dependencies: ["VeilCLI", "VeilTestSupport", "CSandbox", "CSandboxProbe"]),
        .testTarget(name: "EndToEndTests", dependencies: ["VeilTestSupport", "VeilCLI", "VeilMain"]),
    ],
    cxxLanguageStandard: .cxx17
)
