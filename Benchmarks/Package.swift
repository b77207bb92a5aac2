// swift-tools-version: 6.2
import PackageDescription

// A nested package, so that users of RingDispatch never fetch the dependencies of the comparisons.
// Each `...OnDispatch` folder is a symbolic link: the same source, compiled against libdispatch.

let settings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("ExistentialAny"),
]
let onDispatch: [SwiftSetting] = settings + [.define("LIBDISPATCH")]

let ringDispatch: Target.Dependency = .product(name: "RingDispatch", package: "ring-dispatch")
let ringNetwork: Target.Dependency = .product(name: "RingNetwork", package: "ring-dispatch")
let nioCore: Target.Dependency = .product(name: "NIOCore", package: "swift-nio")
let nioPosix: Target.Dependency = .product(name: "NIOPosix", package: "swift-nio")

let package = Package(
    name: "ring-dispatch-benchmarks",
    dependencies: [
        .package(name: "ring-dispatch", path: ".."),
        .package(url: "https://github.com/apple/swift-nio", from: "2.80.0"),
    ],
    targets: [
        .target(name: "CProcessWaiting"),
        .target(name: "CThreadPlacement"),
        .target(name: "ThreadStarting", swiftSettings: settings),
        .executableTarget(
            name: "micro-ring",
            dependencies: [ringDispatch, "CThreadPlacement", "ThreadStarting"],
            path: "Sources/Micro", swiftSettings: settings),
        .executableTarget(
            name: "micro-dispatch", dependencies: ["CThreadPlacement", "ThreadStarting"],
            path: "Sources/MicroOnDispatch", swiftSettings: onDispatch),
        .executableTarget(
            name: "blocking-tasks-ring",
            dependencies: [
                ringDispatch, .product(name: "RingConcurrency", package: "ring-dispatch"),
            ],
            path: "Sources/BlockingTasks", swiftSettings: settings),
        .executableTarget(
            name: "blocking-tasks-dispatch",
            path: "Sources/BlockingTasksOnDispatch", swiftSettings: onDispatch),
        .executableTarget(
            name: "many-sources-ring", dependencies: [ringDispatch],
            path: "Sources/ManySources", swiftSettings: settings),
        .executableTarget(
            name: "many-sources-dispatch",
            path: "Sources/ManySourcesOnDispatch", swiftSettings: onDispatch),
        .executableTarget(
            name: "file-latency",
            dependencies: [ringDispatch, "CThreadPlacement", "ThreadStarting"],
            path: "Sources/FileLatency", swiftSettings: settings),
        .executableTarget(
            name: "blocking-echo-ring", dependencies: [ringDispatch, "CProcessWaiting"],
            path: "Sources/BlockingEcho", swiftSettings: settings),
        .executableTarget(
            name: "blocking-echo-dispatch", dependencies: ["CProcessWaiting"],
            path: "Sources/BlockingEchoOnDispatch", swiftSettings: onDispatch),
        .executableTarget(
            name: "blocking-echo-network",
            dependencies: [ringDispatch, ringNetwork, "CProcessWaiting"],
            path: "Sources/BlockingEchoOnNetwork", swiftSettings: settings),
        .executableTarget(
            name: "blocked-queues-ring", dependencies: [ringDispatch],
            path: "Sources/BlockedQueues", swiftSettings: settings),
        .executableTarget(
            name: "blocked-queues-dispatch",
            path: "Sources/BlockedQueuesOnDispatch", swiftSettings: onDispatch),
        .executableTarget(
            name: "io-bench-ring", dependencies: [ringDispatch],
            path: "Sources/IOBench", swiftSettings: settings),
        .executableTarget(
            name: "io-bench-dispatch",
            path: "Sources/IOBenchOnDispatch", swiftSettings: onDispatch),
        .executableTarget(
            name: "gcd-echo-dispatch",
            path: "Sources/GCDEchoOnDispatch", exclude: ["README.md"], swiftSettings: onDispatch),
        .executableTarget(
            name: "async-echo", dependencies: [ringDispatch, ringNetwork],
            path: "Sources/AsyncEcho", swiftSettings: settings),
        .executableTarget(
            name: "late-echo", dependencies: [ringDispatch, ringNetwork],
            path: "Sources/LateEcho", swiftSettings: settings),
        .executableTarget(
            name: "broadcast-ring", dependencies: [ringDispatch, ringNetwork],
            path: "Sources/Broadcast", swiftSettings: settings),
        .executableTarget(
            name: "connecting-ring", dependencies: [ringDispatch, ringNetwork],
            path: "Sources/Connecting", swiftSettings: settings),
        .executableTarget(
            name: "nio-echo", dependencies: [nioCore, nioPosix, "CProcessWaiting"],
            path: "Sources/NIOEcho", swiftSettings: settings),
    ]
)
