import Glibc
import LinuxPlatform
import RingDispatch
import SystemPackage
import Testing

@testable import FileWatching

/// A file's event is reported without examining the file: what the disk shows later is compared
/// with what was known before.
@Suite("Written files", .watchdog)
struct WrittenFileTests {
    @Test("a written file that another one replaces before the events are read")
    func replaced() throws {
        let paused = try PausedWatching(files: ["a", "new"])
        append(1, to: paused.folder("a"))
        #expect(Files.rename(paused.folder("new"), paused.folder("a")))
        paused.watches.resume()
        paused.watching.expect("modified a", "renamed new -> a")
    }

    @Test("a written file that a file from elsewhere replaces before the events are read")
    func replacedFromOutside() throws {
        let paused = try PausedWatching(["root"], files: ["root/a", "new"], root: "root")
        append(1, to: paused.folder("root/a"))
        #expect(Files.rename(paused.folder("new"), paused.folder("root/a")))
        paused.watches.resume()
        paused.watching.expect("modified root/a", "modified root/a")
    }

    @Test("a file that two others replace before the events are read")
    func replacedTwice() throws {
        let paused = try PausedWatching(files: ["a", "b", "c"])
        for name in ["b", "c"] {
            #expect(Files.rename(paused.folder(name), paused.folder("a")))
        }
        paused.watches.resume()
        paused.watching.expect("renamed b -> a", "renamed c -> a")
    }

    @Test("a new file whose name another one has by the time it is examined")
    func nameUsedAgain() throws {
        let paused = try PausedWatching(files: ["a", "new"])
        #expect(Files.remove(paused.folder("new")))
        paused.folder.makeFile("new")
        #expect(Files.rename(paused.folder("new"), paused.folder("a")))
        paused.folder.makeFile("new")
        paused.watches.resume()
        paused.watching.expect(
            "removed new", "created new", "renamed new -> a", "created new", "+modified a")
        let disk = Disk.tree(at: paused.folder.path)
        for entry in paused.watching.snapshot() {
            #expect(disk[entry.path.bytes]?.inode == entry.inode, "\(entry.path)")
        }
    }

    @Test("a write whose event is lost in an overflow, after one that was reported")
    func lostWrite() throws {
        let paused = try PausedWatching(files: ["a", "unwritten"])
        append(1, to: paused.folder("a"))
        paused.deliver(.modified, "a")
        paused.watching.expect("modified a")
        append(1, to: paused.folder("a"))
        paused.deliver(.attributes, "a")
        paused.deliver(InotifyBatch(hasOverflowed: true))
        paused.watching.expect("attributes a", "overflow ", "rescan ", "+modified a")
    }

    @Test("a write whose event is lost in an overflow, after a file's late creation event")
    func lostWriteOfNewFile() throws {
        let paused = try PausedWatching()
        paused.folder.makeFile("a")
        paused.scanRoot()
        append(1, to: paused.folder("a"))
        paused.deliver(.created, "a")
        paused.deliver(InotifyBatch(hasOverflowed: true))
        paused.watching.expect("+created a", "overflow ", "rescan ", "+modified a")
    }

    @Test("a written file that is found by a scan, and made again with the same inode")
    func madeAgain() throws {
        let paused = try PausedWatching(files: ["a"])
        paused.deliver(.modified, "a")
        append(1, to: paused.folder("a"))
        paused.scanRoot()
        paused.deliver(.deleted, "a")
        paused.deliver(.created, "a")
        paused.watching.expect("modified a", "removed a", "created a")
    }

    @Test("a scan does not report a written file again")
    func scanned() throws {
        let watching = try Watching {
            $0.window = .nanoseconds(0)
            $0.readsGitignore = true
        }
        let folder = watching.folder
        folder.makeFile("a")
        watching.expect("created a")
        append(1, to: folder("a"))
        watching.expect("modified a")
        #expect(Files.write(folder(".gitignore"), Array("b".utf8)))
        folder.makeFile("last")
        watching.expectChanges(of: ["last"])
        #expect(!watching.reported.contains { $0.hasSuffix("modified a") })
    }

    @Test("a poll reports what others have written since the kernel's last event, and only that")
    func polled() throws {
        let folder = Folder()
        folder.makeDirectory("root")
        folder.makeFile("root/a")
        // Writes under a name outside of the root cause no events.
        #expect(Files.call(folder("root/a"), folder("elsewhere")) { link($0, $1) })
        let watching = try Watching(
            {
                $0.window = .nanoseconds(0)
                $0.pollInterval = .seconds(3600)
                $0.pollsEverywhere = true
            }, in: folder, roots: [folder("root")])
        append(1, to: folder("root/a"))
        watching.expect("modified root/a")
        compare(watching.watcher.engine)
        #expect(watching.reported == [])
        append(1, to: folder("elsewhere"))
        compare(watching.watcher.engine)
        watching.expect("+modified root/a")
    }

    /// Does what a poll does, to its end.
    private func compare(_ engine: WatchEngine) {
        engine.queue.sync {
            engine.confined.pollStart = MonotonicClock.nanoseconds()
            engine.compareRoots(isPoll: true)
            engine.scheduleRun()
        }
        #expect(poll { engine.queue.sync { engine.confined.pollStart == 0 } })
    }
}
