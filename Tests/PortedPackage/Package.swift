// swift-tools-version: 6.2
import PackageDescription

// Code written for GCD, with not a line changed: only the plugin makes it run on RingDispatch.
// A nested package, since plugins are tried as a user's package uses them.

let ringDispatch: Target.Dependency = .product(name: "RingDispatch", package: "ring-dispatch")
let useRingDispatch: Target.PluginUsage = .plugin(
    name: "UseRingDispatch", package: "ring-dispatch")
let useRingDispatchInternally: Target.PluginUsage = .plugin(
    name: "UseRingDispatchInternally", package: "ring-dispatch")

let strict: [SwiftSetting] = [.treatAllWarnings(as: .error)]
let swift5: [SwiftSetting] = strict + [.swiftLanguageMode(.v5)]
let swift6: [SwiftSetting] =
    strict + [
        .swiftLanguageMode(.v6),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ]

let package = Package(
    name: "ring-dispatch-porting",
    dependencies: [.package(name: "ring-dispatch", path: "../..")],
    targets: [
        // Its public signatures have GCD's types.
        .target(
            name: "Ported", dependencies: [ringDispatch], swiftSettings: swift5,
            plugins: [useRingDispatch]),
        // The same with every feature that changes what a file sees.
        .target(
            name: "PortedStrictly", dependencies: [ringDispatch],
            swiftSettings: swift6 + [.enableUpcomingFeature("ExistentialAny")],
            plugins: [useRingDispatch]),
        // Uses GCD inside only.
        .target(
            name: "PortedInside", dependencies: [ringDispatch], swiftSettings: swift5,
            plugins: [useRingDispatchInternally]),
        // The calls of GCD, in both language modes; and on libdispatch, to see that they are GCD's.
        // The two others are symbolic links to the first folder.
        .target(
            name: "EveryCall", dependencies: [ringDispatch], swiftSettings: swift6,
            plugins: [useRingDispatch]),
        .target(
            name: "EveryCallSwift5", dependencies: [ringDispatch], swiftSettings: swift5,
            plugins: [useRingDispatchInternally]),
        .target(
            name: "EveryCallOnDispatch", swiftSettings: swift5 + [.define("LIBDISPATCH")]),
        // Clients that stay on libdispatch.
        .target(
            name: "Unported", dependencies: ["Ported", "PortedInside"], swiftSettings: swift5),
        .executableTarget(
            name: "porting-check",
            dependencies: ["Ported", "PortedStrictly", "PortedInside", "Unported", ringDispatch],
            path: "Sources/PortingCheck", swiftSettings: swift5, plugins: [useRingDispatch]),
        // Programs whose main queue is not served by dispatchMain.
        .executableTarget(
            name: "run-loop-check", dependencies: [ringDispatch],
            path: "Sources/RunLoopCheck", swiftSettings: swift5, plugins: [useRingDispatch]),
        .executableTarget(
            name: "async-main-check", dependencies: [ringDispatch],
            path: "Sources/AsyncMainCheck", swiftSettings: strict + [.swiftLanguageMode(.v6)],
            plugins: [useRingDispatch]),
        // A program that runs out of descriptors.
        .executableTarget(
            name: "shortage-check", dependencies: [ringDispatch],
            path: "Sources/ShortageCheck", swiftSettings: swift5, plugins: [useRingDispatch]),
    ]
)
