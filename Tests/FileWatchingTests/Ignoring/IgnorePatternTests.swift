import LinuxPlatform
import Testing

@testable import FileWatching

/// Patterns match as in git.
@Suite("Ignore patterns", .watchdog)
struct IgnorePatternTests {
    @Test(
        "a pattern matches names and paths",
        arguments: [
            ("*.o", "a.o", true), ("*.o", "a.c", false), ("a?c", "abc", true),
            ("a?c", "ac", false), ("*", "anything", true), ("a*b*c", "aXXbYYc", true),
            ("a*b*c", "aXXbYY", false), ("[a-c]x", "bx", true), ("[!a-c]x", "bx", false),
            ("[^a-c]x", "dx", true), ("[]x]", "]", true), ("[a-]", "-", true),
            ("[[:digit:]]*", "7up", true), ("[[:digit:]]*", "up", false), ("[a", "[a", true),
            ("\\*", "*", true), ("\\*", "a", false), ("\\#x", "#x", true), ("\\!x", "!x", true),
            ("x\\ ", "x ", true), ("x ", "x", true), ("a.b", "aXb", false), ("a\0b", "a", false),
            ("**", "a", true), ("\\[a]", "[a]", true), ("[a]b[", "ab[", true), ("a\\", "a", false),
        ])
    func names(pattern: String, name: String, matches: Bool) throws {
        let parsed = try #require(IgnorePattern(pattern.utf8))
        #expect(parsed.glob.isForNames)
        #expect(parsed.glob.matches(Array(name.utf8)[...]) == matches)
    }

    @Test(
        "a pattern with a slash matches the path",
        arguments: [
            ("/a", "a", true), ("/a", "b/a", false), ("a/b", "a/b", true),
            ("a/b", "x/a/b", false), ("**/b", "b", true), ("**/b", "x/y/b", true),
            ("a/**", "a/x/y", true), ("a/**", "a", false), ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true), ("a/**/b", "a/xb", false), ("a/*", "a/x", true),
            ("a/*", "a/x/y", false), ("a/*/c", "a/b/c", true), ("a/?", "a//", false),
            ("**/a/**", "x/a/y", true), ("a**b/c", "aXb/c", true), ("a**b/c", "a/b/c", false),
            ("a**/b", "ax/b", true), ("a**/b", "ax/y/b", false),
            ("**/a/**/b/*c", "a/x/a/b/b/xc", true), ("a\\/b", "a/b", true),
        ])
    func paths(pattern: String, path: String, matches: Bool) throws {
        let parsed = try #require(IgnorePattern(pattern.utf8))
        #expect(!parsed.glob.isForNames)
        #expect(parsed.glob.matches(Array(path.utf8)[...]) == matches)
    }

    @Test("empty lines and comments are no patterns; a leading ! and a trailing slash count")
    func lines() throws {
        #expect(IgnorePattern("".utf8) == nil)
        #expect(IgnorePattern("   ".utf8) == nil)
        #expect(IgnorePattern("# a".utf8) == nil)
        #expect(IgnorePattern("/".utf8) == nil)
        let folder = try #require(IgnorePattern("!build/\r".utf8))
        #expect(folder.isNegated && folder.isForFolders && folder.glob.isForNames)
        #expect(folder.glob.matches(Array("build".utf8)[...]))
    }

    @Test("a folder's move matters to patterns of one of the two places, and to those with a slash")
    func moves() {
        let tree = FileTree()
        let facts = FolderEntryFacts(kind: .directory, inode: 1, size: 0, modifiedNanoseconds: 0)
        func folder(_ name: String, in parent: NodeNumber) -> NodeNumber {
            Array(name.utf8).withUnsafeBytes { tree.insert($0, in: parent, facts) }
        }
        let root = folder("/root", in: 0)
        let (old, new) = (folder("old", in: root), folder("new", in: root))
        func mayDiffer(_ files: [(NodeNumber, String)], given: [String] = []) -> Bool {
            var options = FileTreeOptions()
            (options.ignore, options.readsGitignore) = (given, true)
            var rules = IgnoreRules(options)
            for (folder, text) in files { rules.set(Array(text.utf8), of: folder) }
            return rules.mayDiffer(old, new, tree)
        }
        #expect(!mayDiffer([], given: ["*.o", "build/"]))
        #expect(mayDiffer([], given: ["*.o", "doc/*.o"]))
        #expect(!mayDiffer([(root, "*.o")]))
        #expect(mayDiffer([(root, "*.o\n/out")]))
        #expect(mayDiffer([(old, "*.o")]))
        #expect(mayDiffer([(root, "*.o"), (new, "*.a")]))
        #expect(!mayDiffer([(folder("other", in: root), "/out")]))
    }

    @Test("many stars are compared in reasonable time")
    func manyStars() throws {
        let pattern = String(repeating: "*a", count: 12) + "b"
        let parsed = try #require(IgnorePattern(pattern.utf8))
        #expect(!parsed.glob.matches(Array(repeating: UInt8(ascii: "a"), count: 5000)[...]))
    }

    @Test("brackets without an end are compared in reasonable time")
    func manyBrackets() throws {
        let pattern = Array(repeating: UInt8(ascii: "["), count: 1000)
        let glob = try #require(Glob([UInt8(ascii: "*")] + pattern + [UInt8(ascii: "x")]))
        #expect(!glob.matches(Array(repeating: UInt8(ascii: "["), count: 4000)[...]))
        #expect(glob.matches((pattern + [UInt8(ascii: "x")])[...]))
    }

    @Test("random patterns match what their definition says")
    func randomPatterns() throws {
        var generator = SeededGenerator(seed: 1)
        let pieces = ["a", "b", "/", "*", "**", "**/", "/**/", "?", "[ab]", "[!a]", "\\*", "*a"]
        var matches = 0
        for _ in 0..<(isDeep ? 200_000 : 30_000) {
            let pattern = (0..<Int.random(in: 1...6, using: &generator))
                .map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let text = (0..<Int.random(in: 1...8, using: &generator))
                .map { _ in ["a", "b", "/", "*"].randomElement(using: &generator) ?? "" }.joined()
            guard let glob = Glob(Array(pattern.utf8)) else { continue }
            let definition = PatternDefinition(pattern)
            let isMatch = definition.matches(text)
            if isMatch { matches += 1 }
            guard glob.matches(Array(text.utf8)[...]) != isMatch else { continue }
            Issue.record("'\(pattern)' and '\(text)': \(!isMatch)")
        }
        #expect(matches > 1000)
    }
}
