import FileWatching
import SystemPackage
import Testing

@testable import FileWatchServer

@Suite("FileWatchServer's choice of paths")
struct ChoiceTests {
    @Test(
        "Relative paths are below a watched folder, which may be the root of all",
        arguments: [
            ("src", "/p", "/p/src/a", true), ("./src/", "/p", "/p/src/a", true),
            ("src", "/p", "/p/other", false), (".", "/p", "/p/a", true), ("./", "/p", "/p", true),
            (".", "/p", "/other", false), ("etc", "/", "/etc/hosts", true),
            ("etc", "/", "/home", false), (".", "/", "/home", true),
        ])
    func relative(path: String, root: String, changed: String, isWanted: Bool) {
        let choice = Choice(
            paths: [Array(path.utf8)], globs: [], globBytes: 0, roots: [Array(root.utf8)])
        let change = FileChange(
            sequence: 0, timeNanoseconds: 1, action: .created, path: FilePath(changed), kind: .file)
        #expect(choice.wants(Event(change, sequence: 1)) == isWanted)
    }
}
