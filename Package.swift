// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]

let argumentParser: Target.Dependency = .product(
    name: "ArgumentParser", package: "swift-argument-parser")
let systemPackage: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")
let histogram: Target.Dependency = .product(name: "Histogram", package: "hdrhistogram-swift")

// OpenSSL is behind the trait TLS, which is off by default: with it off, SwiftPM neither asks
// pkg-config for OpenSSL nor reads its headers, and RingTLS and its tests are empty (`#if TLS`).
let openSSL: Target.Dependency = .target(name: "CTLS", condition: .when(traits: ["TLS"]))

let ringTLS: Target.Dependency = .target(name: "RingTLS", condition: .when(traits: ["TLS"]))

let package = Package(
    name: "ring-dispatch",
    products: [
        .library(name: "RingDispatch", targets: ["RingDispatch"]),
        .library(name: "RingNetwork", targets: ["RingNetwork"]),
        .library(name: "LoadTesting", targets: ["LoadTesting"]),
        .library(name: "RingTLS", targets: ["RingTLS"]),
        .library(name: "FileWatching", targets: ["FileWatching"]),
        .plugin(name: "UseRingDispatch", targets: ["UseRingDispatch"]),
        .plugin(name: "UseRingDispatchInternally", targets: ["UseRingDispatchInternally"]),
        .executable(name: "EchoServer", targets: ["EchoServer"]),
        .executable(name: "GCDEcho", targets: ["GCDEcho"]),
        .executable(name: "FileWatchServer", targets: ["FileWatchServer"]),
        .executable(name: "KeyValueServer", targets: ["KeyValueServer"]),
        .executable(name: "ringload", targets: ["ringload"]),
    ],
    traits: [
        .trait(
            name: "TLS",
            description: "RingTLS: TLS 1.2 and 1.3 on OpenSSL 3; needs libssl-dev to build")
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.4.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLiburing", pkgConfig: "liburing", providers: [.apt(["liburing-dev"])]),
        .target(name: "CLinux", dependencies: ["CLiburing"]),
        .target(name: "LinuxPlatform", dependencies: ["CLinux"], swiftSettings: settings),
        .target(name: "RingDispatch", dependencies: ["LinuxPlatform", "CLinux"], swiftSettings: settings),
        .target(
            name: "RingNetwork", dependencies: ["RingDispatch", "LinuxPlatform", ringTLS],
            swiftSettings: settings),
        .target(
            name: "LoadTesting",
            dependencies: ["RingNetwork", "RingDispatch", "WireFormats", ringTLS, histogram],
            swiftSettings: settings),
        .systemLibrary(
            name: "CTLS", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(name: "RingTLS", dependencies: ["LinuxPlatform", openSSL], swiftSettings: settings),
        .target(
            name: "FileWatching", dependencies: ["RingDispatch", "LinuxPlatform", systemPackage],
            swiftSettings: settings),
        .executableTarget(
            name: "generate-dispatch-names", path: "Plugins/GenerateDispatchNames",
            swiftSettings: settings),
        .plugin(
            name: "UseRingDispatch", capability: .buildTool(),
            dependencies: ["generate-dispatch-names"]),
        .plugin(
            name: "UseRingDispatchInternally", capability: .buildTool(),
            dependencies: ["generate-dispatch-names"]),
        .executableTarget(
            name: "EchoServer",
            dependencies: ["RingDispatch", "RingNetwork", "SampleSupport", ringTLS, argumentParser],
            path: "Samples/EchoServer", exclude: ["README.md"], swiftSettings: settings),
        .executableTarget(
            name: "GCDEcho", dependencies: ["RingDispatch"],
            path: "Samples/GCDEcho", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "KeyValueStore", dependencies: ["RingDispatch"],
            path: "Samples/KeyValueStore", exclude: ["README.md"], swiftSettings: settings),
        .target(name: "WireFormats", path: "Samples/WireFormats", swiftSettings: settings),
        .target(
            name: "SampleSupport",
            dependencies: ["RingDispatch", "RingNetwork", "WireFormats", argumentParser],
            path: "Samples/SampleSupport", swiftSettings: settings),
        .executableTarget(
            name: "FileWatchServer",
            dependencies: [
                "FileWatching", "RingDispatch", "RingNetwork", "SampleSupport", "WireFormats",
                systemPackage, argumentParser,
            ],
            path: "Samples/FileWatchServer", exclude: ["README.md"],
            resources: [.embedInCode("Page/page.html")], swiftSettings: settings),
        .executableTarget(
            name: "KeyValueServer",
            dependencies: ["KeyValueStore", "RingNetwork", "SampleSupport", argumentParser],
            path: "Samples/KeyValueServer", exclude: ["README.md"], swiftSettings: settings),
        .executableTarget(
            name: "ringload",
            dependencies: [
                "LoadTesting", "RingDispatch", "RingNetwork", "SampleSupport", ringTLS,
                argumentParser,
            ],
            path: "Samples/ringload", exclude: ["README.md"], swiftSettings: settings),
        .testTarget(name: "LinuxPlatformTests", dependencies: ["LinuxPlatform"], swiftSettings: settings),
        .testTarget(
            name: "RingDispatchTests", dependencies: ["RingDispatch", "LinuxPlatform"],
            exclude: ["Contract.md"],
            swiftSettings: settings),
        .testTarget(
            name: "RingNetworkTests",
            dependencies: ["RingNetwork", "RingDispatch", "LinuxPlatform", ringTLS, openSSL],
            swiftSettings: settings),
        .testTarget(
            name: "RingTLSTests", dependencies: ["RingTLS", openSSL], swiftSettings: settings),
        .testTarget(
            name: "FileWatchingTests",
            dependencies: ["FileWatching", "RingDispatch", "LinuxPlatform", systemPackage],
            exclude: ["Scenarios/Files"],
            swiftSettings: settings),
        .executableTarget(name: "refuse-io-uring", path: "Tests/RefusedKernel"),
        .testTarget(
            name: "SamplesTests",
            dependencies: [
                "EchoServer", "GCDEcho", "KeyValueServer", "FileWatchServer", "ringload",
                "refuse-io-uring",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "KeyValueStoreTests", dependencies: ["KeyValueStore", "RingDispatch"],
            swiftSettings: settings),
        .testTarget(
            name: "LoadTestingTests",
            dependencies: [
                "LoadTesting", "RingNetwork", "RingDispatch", "WireFormats", ringTLS, openSSL,
                histogram,
            ],
            swiftSettings: settings),
        .testTarget(name: "TidyTests", swiftSettings: settings),
    ]
)
