import Foundation
import Testing

/// Runs the scripts beside this file, which use redis-server and redis-benchmark.
@Suite("Beside Redis", .serialized)
struct RealRedisTests {
    private static func has(_ program: String) -> Bool {
        ["/usr/bin/", "/usr/local/bin/"].contains {
            FileManager.default.isExecutableFile(atPath: $0 + program)
        }
    }

    private static let environment = ProcessInfo.processInfo.environment

    /// Runs a script with the server that is built beside the tests.
    private func run(_ script: String, _ arguments: [String]) throws {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let server = URL(fileURLWithPath: tests).deletingLastPathComponent()
            .appendingPathComponent("KeyValueServer")
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        let output = FileManager.default.temporaryDirectory
            .appendingPathComponent("\(UUID().uuidString).txt")
        defer { try? FileManager.default.removeItem(at: output) }
        let words = [folder.appendingPathComponent(script).path, server.path] + arguments
        let command = words.map { "'\($0)'" }.joined(separator: " ")
        let status = system("python3 \(command) </dev/null >'\(output.path)' 2>&1")
        let text = try String(contentsOf: output, encoding: .utf8)
        #expect(status == 0, "\(text)")
    }

    @Test(
        "random commands get the replies that redis-server gives",
        .enabled(if: has("redis-server"), "redis-server is not installed"))
    func compare() throws {
        let count = Self.environment["KEYVALUESERVER_COMPARED_COMMANDS"] ?? "5000"
        try run("compare-with-redis.py", [count])
    }

    @Test(
        "a load of keys that expire does not pile up",
        .enabled(if: has("redis-benchmark"), "redis-benchmark is not installed"))
    func expiryLoad() throws {
        let isLong = Self.environment["KEYVALUESERVER_EXPIRY_LOAD"] == "1"
        try run("expiry-load.py", [isLong ? "15" : "2"])
    }
}
