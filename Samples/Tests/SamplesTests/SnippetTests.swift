import Testing

/// The program that LoadTesting's article shows.
@Suite("The samples' snippets", .watchdog)
struct SnippetTests {
    @Test("LoadTest finds its own result right", arguments: Setting.usable)
    func loadTest(setting: Setting) throws {
        let process = try Program.start(
            Program.path(of: "LoadTest"), environment: setting.environment,
            refusal: setting.refusal)
        #expect(try process.waitForEnd() == .exit(0), "\(process.words)")
        #expect(process.output.text.contains(" µs\n"))
    }
}
