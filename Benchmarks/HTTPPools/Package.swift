// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because FlyingFox and Foundation would slow down the build of the others.

let package = Package(
    name: "http-pools",
    dependencies: [
        .package(name: "ring-dispatch", path: "../..", traits: ["FlyingFox"]),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.0"),
    ],
    targets: [
        .executableTarget(
            name: "http-pools",
            dependencies: [
                .product(name: "RingConcurrency", package: "ring-dispatch"),
                .product(name: "RingHTTP", package: "ring-dispatch"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ],
            path: "Sources", swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
