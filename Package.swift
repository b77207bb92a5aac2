// swift-tools-version: 6.2
import PackageDescription

// The libraries and the plugins. The samples, the load client and the benchmarks are packages of
// their own, so that a package that depends on this one fetches swift-system and nothing else. The
// other dependencies are each behind a trait: while it is off, SwiftPM does not fetch them.

var settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("ExistentialAny"),
]

// With this variable, the libraries run on a simulated kernel: see CONTRIBUTING.md. Their `Atomic`
// is then a type of another module, which not every file that uses it imports.
let isSimulation = Context.environment["RINGDISPATCH_SIMULATION"] != nil
settings +=
    isSimulation
    ? [.define("SIMULATION")] : [.enableUpcomingFeature("MemberImportVisibility")]

let systemPackage: Target.Dependency = .product(name: "SystemPackage", package: "swift-system")

// OpenSSL is behind the trait TLS, which is off by default. Without it, SwiftPM neither asks
// pkg-config for OpenSSL nor reads its headers; RingTLS and its tests are empty (`#if TLS`).
let openSSL: Target.Dependency = .target(name: "CTLS", condition: .when(traits: ["TLS"]))
let ringTLS: Target.Dependency = .target(name: "RingTLS", condition: .when(traits: ["TLS"]))

/// A product of another package that is used, and fetched, only with a trait.
func product(_ name: String, package: String, trait: String) -> Target.Dependency {
    .product(name: name, package: package, condition: .when(traits: [trait]))
}
let logging = product("Logging", package: "swift-log", trait: "Logging")
let metrics = product("Metrics", package: "swift-metrics", trait: "Metrics")
let metricsTestKit = product("MetricsTestKit", package: "swift-metrics", trait: "Metrics")
let lifecycle = product(
    "ServiceLifecycle", package: "swift-service-lifecycle", trait: "ServiceLifecycle")
/// A service group has a logger.
let lifecycleLogging = product("Logging", package: "swift-log", trait: "ServiceLifecycle")
let flyingFox = product("FlyingFox", package: "FlyingFox", trait: "FlyingFox")
let flyingSocks = product("FlyingSocks", package: "FlyingFox", trait: "FlyingFox")

let package = Package(
    name: "ring-dispatch",
    products: [
        .library(name: "RingDispatch", targets: ["RingDispatch"]),
        .library(name: "RingNetwork", targets: ["RingNetwork"]),
        .library(name: "RingTLS", targets: ["RingTLS"]),
        .library(name: "RingConcurrency", targets: ["RingConcurrency"]),
        .library(name: "FileWatching", targets: ["FileWatching"]),
        .library(name: "RingHTTP", targets: ["RingHTTP"]),
        .plugin(name: "UseRingDispatch", targets: ["UseRingDispatch"]),
        .plugin(name: "UseRingDispatchInternally", targets: ["UseRingDispatchInternally"]),
    ],
    traits: [
        .trait(
            name: "TLS",
            description: "RingTLS: TLS 1.2 and 1.3 on OpenSSL 3; needs libssl-dev to build"),
        .trait(
            name: "FlyingFox",
            description: "RingHTTP: HTTP servers and WebSockets of FlyingFox on the event loops"),
        .trait(
            name: "Logging", description: "messages of the libraries go to a logger of swift-log"),
        .trait(
            name: "Metrics", description: "counters of the libraries as metrics of swift-metrics"),
        .trait(
            name: "ServiceLifecycle",
            description: "listeners, datagram sockets, watchers and HTTP servers as services"),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-system", from: "1.4.0"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
    ],
    targets: [
        .systemLibrary(
            name: "CLiburing", pkgConfig: "liburing", providers: [.apt(["liburing-dev"])]),
        .target(
            name: "CLinux", dependencies: ["CLiburing"],
            cSettings: [.define("CLINUX_TLS", .when(traits: ["TLS"]))]),
        .target(
            name: "LinuxPlatform",
            dependencies: ["CLinux"] + (isSimulation ? ["CSimulation", "SimulatedAtomics"] : []),
            swiftSettings: settings),
        .target(
            name: "RingDispatch",
            dependencies: ["LinuxPlatform", "CLinux", logging, metrics, lifecycle],
            swiftSettings: settings),
        .target(
            name: "RingNetwork",
            dependencies: ["RingDispatch", "LinuxPlatform", ringTLS, metrics, lifecycle],
            swiftSettings: settings),
        .target(
            name: "RingConcurrency", dependencies: ["RingDispatch", "LinuxPlatform"],
            swiftSettings: settings),
        .systemLibrary(
            name: "CTLS", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .target(
            name: "RingTLS", dependencies: ["LinuxPlatform", openSSL], swiftSettings: settings),
        .target(
            name: "FileWatching",
            dependencies: ["RingDispatch", "LinuxPlatform", systemPackage, lifecycle],
            swiftSettings: settings),
        .target(
            name: "RingHTTP",
            dependencies: ["RingDispatch", "LinuxPlatform", flyingFox, flyingSocks, lifecycle],
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
        .target(
            name: "TestSupport",
            dependencies: ["RingDispatch", ringTLS, openSSL, logging],
            path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(
            name: "LinuxPlatformTests", dependencies: ["LinuxPlatform", "CLinux", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "RingDispatchTests",
            dependencies: [
                "RingDispatch", "LinuxPlatform", "TestSupport", logging, metrics, metricsTestKit,
            ],
            exclude: ["Contract.md"], swiftSettings: settings),
        .testTarget(
            name: "RingConcurrencyTests",
            dependencies: ["RingConcurrency", "RingDispatch", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "RingNetworkTests",
            dependencies: [
                "RingNetwork", "RingDispatch", "LinuxPlatform", ringTLS, openSSL, "TestSupport",
                metrics, metricsTestKit, lifecycle, lifecycleLogging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "RingTLSTests", dependencies: ["RingTLS", openSSL, "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "FileWatchingTests",
            dependencies: [
                "FileWatching", "RingDispatch", "LinuxPlatform", systemPackage, "TestSupport",
                lifecycle, lifecycleLogging,
            ],
            exclude: ["Scenarios/Files"], swiftSettings: settings),
        .testTarget(
            name: "RingHTTPTests",
            dependencies: [
                "RingHTTP", "RingDispatch", "RingConcurrency", "LinuxPlatform", "TestSupport",
                flyingFox, flyingSocks, lifecycle, lifecycleLogging,
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SnippetTests", dependencies: ["TestSupport"], swiftSettings: settings),
        .testTarget(name: "TidyTests", swiftSettings: settings),
    ]
)

if isSimulation {
    package.targets += [
        .target(
            name: "CSimulation", dependencies: ["CLiburing"],
            path: "Tests/Simulation/CSimulation"),
        .target(
            name: "SimulatedAtomics", dependencies: ["CSimulation"],
            path: "Tests/Simulation/SimulatedAtomics", swiftSettings: settings),
        .executableTarget(
            name: "simulate", dependencies: ["CSimulation", "RingDispatch", "RingNetwork"],
            path: "Tests/Simulation/Simulate", swiftSettings: settings),
    ]
}
