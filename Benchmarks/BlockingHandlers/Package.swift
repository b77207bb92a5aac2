// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because Hummingbird and GRDB would slow down the build of the others.

let package = Package(
    name: "blocking-handlers",
    dependencies: [
        .package(name: "ring-dispatch", path: "../.."),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.0.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.0.0"),
    ],
    targets: [
        .executableTarget(
            name: "blocking-handlers",
            dependencies: [
                .product(name: "RingConcurrency", package: "ring-dispatch"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Sources", swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
