import Foundation
import TestSupport
import Testing

/// Runs the guide's snippets. Each one checks its own result, and succeeds only if the result is
/// right.
@Suite("Snippets", .watchdog)
struct SnippetTests {
    static let names: [String] = {
        var folder = URL(fileURLWithPath: #filePath)
        // Root, Tests, SnippetTests, this file.
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        folder.appendPathComponent("Snippets")
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (files ?? []).filter { $0.hasSuffix(".swift") }.map { String($0.dropLast(6)) }
            .sorted()
    }()

    @Test("there are some")
    func exist() { #expect(Self.names.count > 10) }

    @Test("each finds its own result right", arguments: names, ["auto", "epoll"])
    func runs(name: String, backend: String) async throws {
        let process = Process()
        // SwiftPM builds executables and tests into the same folder.
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appendingPathComponent(name)
        let folder = Folder()
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        #if TLS
        folder.makeFile("chain.pem", TestIdentities.server.certificatePEM)
        folder.makeFile("key.pem", TestIdentities.server.keyPEM())
        folder.makeFile("authority.pem", TestIdentities.authority.certificatePEM)
        #endif
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["RINGDISPATCH_BACKEND": backend]) { $1 }
        let output = Pipe()
        let errors = Pipe()
        (process.standardOutput, process.standardError) = (output, errors)
        let status = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        let (text, complaint) = (try text(of: output), try text(of: errors))
        #expect(status == 0, "\(text), \(complaint)")
        #expect(!text.isEmpty)
    }

    private func text(of pipe: Pipe) throws -> String {
        String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    }
}
