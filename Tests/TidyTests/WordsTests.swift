import Testing

/// The rule about words finds them in names and in prose, and leaves longer words alone.
@Suite("Tidy words")
struct WordsTests {
    @Test(
        "a replaced word is found",
        arguments: [
            "let laneCount = 1", "// A lane is idle.", "func nextJob()", "case chunk", "hasTold",
            "A stand-in takes the loop over.", "export RINGDISPATCH_LANES=2",
            "It looks at the word.",
            "#include \"cring_x\"", "watcherHub", "let sendsAtOnce = true", "HTTPJob", "told",
            "Two spare workers wait.", "run --lanes 2", "x = MAX_CHUNK", "nothing is begun anew",
            "look up a name, then look at it",
        ])
    func found(line: String) { #expect(Rules.replacedWords(in: line).count == 1) }

    @Test(
        "other words are not",
        arguments: [
            "planes and bandwidth", "consuming ExecutorJob",
            "name lookup; look up a name", "Transfer-Encoding: chunked", "it became writable",
            "GitHub", "https://github.com", "release, please", "peer", "kernel", "silent",
            "the kernel's queue", "import RingDispatch", "a spare workerless", "",
        ])
    func left(line: String) { #expect(Rules.replacedWords(in: line).isEmpty) }

    @Test("findings name the line, the word and its replacement")
    func findings() {
        let file = Repository.File(path: "Docs/a.md", text: "A loop\nand a lane.\n")
        #expect(Rules.replacedWords(in: file) == ["Docs/a.md:2: 'lane': say event loop"])
    }
}
