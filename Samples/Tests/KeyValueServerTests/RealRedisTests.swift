import Foundation
import Testing

/// Runs the scripts beside this file, which use redis-server and redis-benchmark.
@Suite(
    "Beside Redis", .watchdog,
    .enabled(if: Command.find("python3") != nil, "python3 is not installed"))
struct RealRedisTests {
    /// Runs a script with the server that is built beside the tests.
    private func run(_ script: String, _ arguments: [String]) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let products = URL(fileURLWithPath: tests).deletingLastPathComponent().path
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let output = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: output) }
        // The launcher closes the descriptors of other tests.
        let words =
            ["\(products)/refuse-io-uring", "--only", "none", "python3"]
            + [folder.appendingPathComponent(script).path, "\(products)/KeyValueServer"]
        let command = (words + arguments).map { "'\($0)'" }.joined(separator: " ")
        let status = system("\(command) </dev/null >'\(output.path)' 2>&1")
        let text = try String(contentsOf: output, encoding: .utf8)
        #expect(status == 0, "\(text)")
    }

    @Test(
        "random commands get the replies that redis-server gives",
        .enabled(if: Command.find("redis-server") != nil, "redis-server is not installed"))
    func compare() throws {
        try run("compare-with-redis.py", [isDeep ? "100000" : "5000"])
    }

    @Test(
        "a load of keys that expire does not pile up",
        .enabled(if: Command.find("redis-benchmark") != nil, "redis-benchmark is not installed"))
    func expiryLoad() throws {
        try run("expiry-load.py", [isDeep ? "15" : "0"])
    }
}
