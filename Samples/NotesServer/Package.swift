// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because GRDB and FlyingFox would slow down the build of the other samples.

let package = Package(
    name: "notes-server",
    dependencies: [
        .package(
            name: "ring-dispatch", path: "../..",
            traits: ["FlyingFox", "Logging", "ServiceLifecycle"]),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.6.0"),
    ],
    targets: [
        .executableTarget(
            name: "NotesServer",
            dependencies: [
                .product(name: "RingDispatch", package: "ring-dispatch"),
                .product(name: "RingConcurrency", package: "ring-dispatch"),
                .product(name: "RingHTTP", package: "ring-dispatch"),
                .product(name: "RingNetwork", package: "ring-dispatch"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources", resources: [.embedInCode("page.html")],
            swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
