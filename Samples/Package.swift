// swift-tools-version: 6.2
import PackageDescription

// The sample servers, the load client and its library: a nested package, so that users of
// RingDispatch never fetch its dependencies.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

func library(_ name: String, when condition: TargetDependencyCondition? = nil) -> Target.Dependency
{
    .product(name: name, package: "ring-dispatch", condition: condition)
}

let ringDispatch = library("RingDispatch")
let ringNetwork = library("RingNetwork")
let ringTLS = library("RingTLS", when: .when(traits: ["TLS"]))
let argumentParser: Target.Dependency = .product(
    name: "ArgumentParser", package: "swift-argument-parser")
let histogram: Target.Dependency = .product(name: "Histogram", package: "hdrhistogram-swift")
let systemPackage: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

/// A server in the folder of its name.
func sample(
    _ name: String, _ dependencies: Target.Dependency..., exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .executableTarget(
        name: name,
        dependencies: [ringDispatch, ringNetwork, argumentParser, "SampleSupport"] + dependencies,
        path: name, exclude: ["README.md"] + exclude, resources: resources,
        swiftSettings: settings)
}

let package = Package(
    name: "ring-dispatch-samples",
    products: [
        .library(name: "LoadTesting", targets: ["LoadTesting"])
    ],
    traits: [.trait(name: "TLS", description: "EchoServer, ChatServer and ringload over TLS")],
    dependencies: [
        .package(
            name: "ring-dispatch", path: "..",
            traits: [.trait(name: "TLS", condition: .when(traits: ["TLS"]))]),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.4.0"),
    ],
    targets: [
        .target(name: "WireFormats", path: "WireFormats", swiftSettings: settings),
        .target(
            name: "SampleSupport",
            dependencies: [
                ringDispatch, ringNetwork, ringTLS, argumentParser, systemPackage, "WireFormats",
            ],
            path: "SampleSupport", swiftSettings: settings),
        sample("ChatServer"),
        sample("EchoServer", ringTLS, "WireFormats"),
        .executableTarget(
            name: "GCDEcho", dependencies: [ringDispatch], path: "GCDEcho",
            exclude: ["README.md"], swiftSettings: settings),
        sample(
            "FileWatchServer", library("FileWatching"), systemPackage, "WireFormats",
            exclude: ["git-fsmonitor"], resources: [.embedInCode("Page/page.html")]),
        sample("KeyValueServer"),
        sample("Proxy"),
        .target(
            name: "LoadTesting",
            dependencies: [ringDispatch, ringNetwork, ringTLS, histogram, "WireFormats"],
            path: "LoadTesting", swiftSettings: settings),
        .executableTarget(
            name: "ringload",
            dependencies: [
                ringDispatch, ringNetwork, ringTLS, systemPackage, argumentParser, "LoadTesting",
                "SampleSupport",
            ],
            path: "ringload", exclude: ["README.md"], swiftSettings: settings),
        // The root package's folder, by a link.
        .target(
            name: "TestSupport", dependencies: [ringDispatch], path: "Tests/TestSupport",
            exclude: ["Bytes.swift", "TLS"], swiftSettings: settings),
        .testTarget(
            name: "WireFormatsTests", dependencies: ["WireFormats", "TestSupport"],
            exclude: ["compare-with-h11.py"], swiftSettings: settings),
        .testTarget(
            name: "LoadTestingTests",
            dependencies: [
                "LoadTesting", "WireFormats", ringDispatch, ringNetwork, ringTLS, histogram,
                "TestSupport",
            ],
            exclude: ["read-histograms.py"], swiftSettings: settings),
        .testTarget(
            name: "KeyValueServerTests",
            dependencies: ["KeyValueServer", "refuse-io-uring", "TestSupport"],
            exclude: ["compare-with-redis.py", "expiry-load.py"], swiftSettings: settings),
        .executableTarget(name: "refuse-io-uring", path: "Tests/RefusedKernel"),
        .testTarget(
            name: "SamplesTests",
            dependencies: [
                "ChatServer", "EchoServer", "GCDEcho", "KeyValueServer", "FileWatchServer", "Proxy",
                "ringload", "refuse-io-uring", "SampleSupport", ringDispatch,
                library("FileWatching"), systemPackage, "TestSupport",
            ],
            swiftSettings: settings),
    ]
)
