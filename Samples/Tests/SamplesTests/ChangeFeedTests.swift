import FileWatching
import SystemPackage
import Testing

@testable import FileWatchServer

@Suite("FileWatchServer's feed")
struct ChangeFeedTests {
    /// A watcher drops the changes of a burst of more than 500,000.
    @Test("After dropped changes, every root is to be read again; a watcher's own rescan suffices")
    func dropped() throws {
        let feed = ChangeFeed(roots: ["/a", "/b"], historyLimit: 100, onChanges: { _ in })
        feed.publish([change(.overflow, "/a/x"), change(.created, "/b/y"), change(.overflow, "/b")])
        feed.publish([change(.overflow, "/a"), change(.rescan, "/a"), change(.rescan, "/b")])
        feed.publish([change(.created, "/a/z")])
        guard case .events(let events, let last) = feed.events(after: 0, atMost: 100) else {
            throw Trouble("no events")
        }
        #expect(
            events.map { "\($0.action.rawValue) \(String(decoding: $0.path, as: UTF8.self))" } == [
                "overflow /a/x", "rescan /a", "rescan /b", "created /b/y",
                "overflow /b", "rescan /a", "rescan /b",
                "overflow /a", "rescan /a", "rescan /b", "created /a/z",
            ])
        #expect(events.map(\.sequence) == Array(1...11))
        #expect(last == 11)
    }

    private func change(_ action: FileChange.Action, _ path: FilePath) -> FileChange {
        FileChange(sequence: 0, timeNanoseconds: 1, action: action, path: path, kind: .file)
    }
}
