import Glibc
import LinuxPlatform
import RingDispatch
import SystemPackage
import Testing

@testable import FileWatching

/// Changes as an asynchronous sequence, and the end of a watcher.
@Suite("Sequences and the end", .watchdog)
struct SequenceTests {
    private func change(_ sequence: UInt64) -> FileChange {
        FileChange(
            sequence: sequence, timeNanoseconds: 0, action: .created, path: "a", kind: .file)
    }

    private func all(_ changes: FileChangeSequence) async -> [String] {
        var reported: [String] = []
        for await change in changes {
            reported.append("\(change.action.rawValue) \(change.sequence)")
        }
        return reported
    }

    @Test("a full buffer drops the oldest changes and puts an overflow in their place")
    func dropOldest() async {
        let changes = FileChangeSequence(bound: 3, policy: .dropOldest)
        changes.buffer.append((1...6).map { change($0) })
        changes.buffer.mailbox.finish()
        #expect(await all(changes) == ["overflow 4", "created 5", "created 6"])
    }

    @Test("or the sequence ends, as the policy says")
    func finish() async {
        let changes = FileChangeSequence(bound: 3, policy: .finish)
        changes.buffer.append((1...6).map { change($0) })
        #expect(await all(changes) == ["created 1", "created 2", "created 3", "overflow 4"])
    }

    @Test("changes that an iterator has left go to the next one, and count for the bound")
    func laterIterator() async {
        let changes = FileChangeSequence(bound: 3, policy: .dropOldest)
        changes.buffer.append((1...3).map { change($0) })
        let first = await changes.first { _ in true }
        #expect(first?.sequence == 1)
        changes.buffer.append((4...5).map { change($0) })
        changes.buffer.mailbox.finish()
        #expect(await all(changes) == ["overflow 3", "created 4", "created 5"])
    }

    @Test("a task that is cancelled waits no longer")
    func cancelledTask() async throws {
        let changes = FileChangeSequence(bound: 3, policy: .finish)
        let task = ownTask { await all(changes) }
        task.cancel()
        #expect(try await task.value == [])
    }

    @Test("a watcher's changes come in order, and end when it is cancelled")
    func watcher() async throws {
        let watching = try Watching()
        let changes = watching.watcher.changes()
        let task = ownTask {
            var names: [String] = []
            for await change in changes { names.append(change.path.lastComponent?.string ?? "") }
            return names
        }
        for name in ["a", "b", "c"] { watching.folder.makeFile(name) }
        watching.expect("created a", "created b", "created c")
        watching.watcher.cancel()
        #expect(try await task.value == ["a", "b", "c"])
        let late = watching.watcher.changes()
        for await change in late { Issue.record("\(change)") }
    }

    @Test("the watcher does not keep a sequence that nobody uses any more")
    func released() throws {
        let watching = try Watching()
        weak var buffer: AnyObject?
        do {
            let changes = watching.watcher.changes()
            buffer = changes.buffer
            let iterator = changes.makeAsyncIterator()
            #expect(buffer != nil)
            _ = iterator
        }
        #expect(buffer == nil)
        watching.folder.makeFile("a")
        watching.expect("created a")
    }

    @Test("a scope has every change from its beginning on, and ends with its task")
    func scope() async throws {
        let folder = Folder()
        let root = folder.path
        let name = try await FileTreeWatcher.withChanges(of: [root]) { changes in
            folder.makeFile("a")
            for await change in changes where change.action == .created {
                return change.path.lastComponent?.string
            }
            return nil
        }
        #expect(name == "a")
        for round in 0..<20 {
            let task = ownTask {
                try await FileTreeWatcher.withChanges(of: [root]) { changes in
                    for await change in changes { Issue.record("\(change)") }
                }
            }
            for _ in 0..<round * 10 { sched_yield() }
            task.cancel()
            _ = await task.result
        }
        await #expect(throws: FileTreeError.self) {
            try await FileTreeWatcher.withChanges(of: [root.appending("missing")]) { _ in }
        }
    }

    @Test("after a cancel only the end is reported, on the queue")
    func cancel() throws {
        let watching = try Watching()
        let late = Watched(0)
        watching.watcher.cancel()
        watching.watcher.setEventHandler { _ in late.increment() }
        watching.folder.makeFile("a")
        expectOpens(watching.isCancelled)
        watching.watcher.cancel()
        #expect(late.value == 0 && watching.changes.value.isEmpty)
    }

    @Test("a watcher that only its own handler keeps may be cancelled there")
    func cancelledByItsHandler() throws {
        let folder = Folder()
        let (ready, isCancelled) = (Gate(), Gate())
        do {
            let watcher = try FileTreeWatcher([folder.path], queue: DispatchQueue(label: "test"))
            watcher.setReadyHandler { ready.open() }
            watcher.setCancelHandler { isCancelled.open() }
            watcher.setEventHandler { _ in watcher.cancel() }
            watcher.activate()
        }
        expectOpens(ready)
        folder.makeFile("a")
        expectOpens(isCancelled)
    }

    @Test("a released watcher ends its watches, activated or not")
    func abandoned() throws {
        let rules = Watched(RefusingInotify.Rules())
        let makeInotify = RefusingInotify.maker(rules)
        let folder = Folder()
        let queue = DispatchQueue(label: "test.abandoned")
        let ready = Gate()
        var watcher: FileTreeWatcher? = try FileTreeWatcher(
            [folder.path], options: FileTreeOptions(), queue: queue, makeInotify: makeInotify)
        watcher?.setReadyHandler { ready.open() }
        let late = Watched(0)
        watcher?.setCancelHandler { late.increment() }
        var engine = watcher?.engine
        watcher?.activate()
        expectOpens(ready)
        #expect(watcher?.watchCount == 3)
        watcher = nil
        expectEventually(rules) { $0.openInstances == 0 }
        // What the end of the watches submits has run after this.
        engine?.queue.sync {}
        engine?.reporter.queue.sync {}
        #expect(late.value == 0)
        weak let ended = engine
        engine = nil
        #expect(poll { ended == nil })
        _ = try FileTreeWatcher(
            [folder.path], options: FileTreeOptions(), queue: queue, makeInotify: makeInotify)
        expectEventually(rules) { $0.openInstances == 0 }
    }
}
