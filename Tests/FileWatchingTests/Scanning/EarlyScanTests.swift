import LinuxPlatform
import RingDispatch
import SystemPackage
import Testing

@testable import FileWatching

/// A scan finds changes before the kernel reports them.
@Suite("Scans before the events", .watchdog)
struct EarlyScanTests {
    @Test("a folder that is scanned after its exchange with another one")
    func exchanged() throws {
        let paused = try PausedWatching(["one", "one/in-one", "two", "two/in-two"])
        let folder = paused.folder
        #expect(Files.exchange(folder("one"), folder("two")))
        paused.engine.queue.sync {
            paused.engine.push(paused.engine.child("one", of: paused.root), [])
            paused.engine.scanSome()
        }
        folder.makeFile("last")
        paused.resume(until: "last")
        #expect(
            paused.watching.snapshotPaths == ["last", "one", "one/in-two", "two", "two/in-one"])
        folder.makeFile("one/in-two/file")
        folder.makeFile("two/in-one/file")
        paused.watching.expectChanges(of: ["one/in-two/file", "two/in-one/file"])
    }

    @Test("a new folder that cannot be scanned yet, because an ancestor was renamed")
    func missed() throws {
        let paused = try PausedWatching(["old"])
        let (folder, engine) = (paused.folder, paused.engine)
        for name in ["old/found", "old/found/new"] { folder.makeDirectory(name) }
        folder.makeFile("old/found/new/file")
        engine.queue.sync {
            engine.push(paused.engine.child("old", of: paused.root), [])
            for _ in ["old", "found"] { engine.scanSome() }
            #expect(Files.rename(folder("old"), folder("renamed")))
            engine.scanSome()
            #expect(engine.confined.missed.count == 1)
        }
        // Its parent does not exist at that path, either.
        paused.deliver(InotifyBatch(emptiedAtNanoseconds: 1))
        paused.resume(until: "renamed/found/new/file")
        #expect(
            paused.watching.snapshotPaths
                == ["renamed", "renamed/found", "renamed/found/new", "renamed/found/new/file"])
    }

    /// The kernel reports the folder's end first, then the removal of its name from the parent.
    @Test("a folder whose end is reported before its removal, in a removed root")
    func rootGone() throws {
        let paused = try PausedWatching(["root", "root/sub"], root: "root")
        let (folder, engine) = (paused.folder, paused.engine)
        Files.removeAll(folder("root"))
        engine.queue.sync {
            engine.push(engine.child("sub", of: paused.root), .repair)
            engine.scanSome()
            #expect(engine.confined.missed.count == 1)
        }
        paused.deliver(InotifyBatch(emptiedAtNanoseconds: 1))
        paused.resume()
        paused.watching.expect("removed root/sub", "removed root")
    }

    @Test(
        "a folder that is exchanged with another one while it is being watched",
        arguments: [false, true])
    func exchangedDuringTheWatch(isReturned: Bool) throws {
        let folder = Folder()
        for name in ["one", "one/in-one", "two", "two/in-two"] { folder.makeDirectory(name) }
        let exchanges = Watched(0)
        // The scan has opened the folder.
        let watching = try Watching(
            in: folder,
            makeInotify: { () throws(SystemError) in
                try ExchangingInotify(
                    folder("one"), folder("two"), isReturned: isReturned, exchanges)
            })
        #expect(exchanges.value > 0)
        // Without its watch, "one" reports nothing.
        folder.makeFile("one/late")
        watching.expectChanges(of: ["one/late"])
        let (one, two) = isReturned ? ("in-one", "in-two") : ("in-two", "in-one")
        #expect(watching.snapshotPaths == ["one", "one/\(one)", "one/late", "two", "two/\(two)"])
    }
}

/// An inotify before whose first watch of a folder's path, this folder and another one exchange
/// their names. Afterwards they may exchange them again.
private final class ExchangingInotify: Inotify {
    private let kernel: InotifyDescriptor
    private let one: FilePath
    private let two: FilePath
    private let isReturned: Bool
    private let exchanges: Watched<Int>

    init(
        _ one: FilePath, _ two: FilePath, isReturned: Bool, _ exchanges: Watched<Int>
    ) throws(SystemError) {
        kernel = try InotifyDescriptor()
        (self.one, self.two, self.isReturned) = (one, two, isReturned)
        self.exchanges = exchanges
    }

    var descriptor: Int32 { kernel.descriptor }

    func watch(
        _ place: FilePlace, for mask: InotifyMask, isAdding: Bool
    ) throws(SystemError) -> Int32 {
        let path = place.withPath { String(cString: $0) }
        guard path == one.string, exchanges.increment() == 1 else {
            return try kernel.watch(place, for: mask, isAdding: isAdding)
        }
        _ = Files.exchange(one, two)
        defer { if isReturned { _ = Files.exchange(one, two) } }
        return try kernel.watch(place, for: mask, isAdding: isAdding)
    }

    func unwatch(_ number: Int32) { kernel.unwatch(number) }

    func close() { kernel.close() }
}
