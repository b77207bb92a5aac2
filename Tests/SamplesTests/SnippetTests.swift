import Foundation
import Testing

/// The snippets that the guide shows. Each ends by itself, and with success only if what it found
/// was right.
@Suite("Snippets", .ownThread)
struct SnippetTests {
    static let names: [String] = {
        var folder = URL(fileURLWithPath: #filePath)
        // Root, Tests, SamplesTests, this file.
        for _ in 0..<3 { folder.deleteLastPathComponent() }
        folder.appendPathComponent("Snippets")
        let files = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (files ?? []).filter { $0.hasSuffix(".swift") }.map { String($0.dropLast(6)) }
            .sorted()
    }()

    @Test("there are some")
    func exist() { #expect(Self.names.count > 10) }

    @Test("each finds its own result right", arguments: names, Setting.usable)
    func runs(name: String, setting: Setting) throws {
        let process = try Program.start(
            Program.path(of: name), environment: setting.environment, refusal: setting.refusal)
        #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
        #expect(!process.output.text.isEmpty)
    }
}
