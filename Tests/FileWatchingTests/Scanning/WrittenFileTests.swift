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
        paused.resume()
        paused.watching.expect("modified a", "renamed new -> a")
    }

    @Test("a written file that a file from elsewhere replaces before the events are read")
    func replacedFromOutside() throws {
        let paused = try PausedWatching(["root"], files: ["root/a", "new"], root: "root")
        append(1, to: paused.folder("root/a"))
        #expect(Files.rename(paused.folder("new"), paused.folder("root/a")))
        paused.resume()
        paused.watching.expect("modified root/a", "modified root/a")
    }

    @Test("a file that two others replace before the events are read")
    func replacedTwice() throws {
        let paused = try PausedWatching(files: ["a", "b", "c"])
        for name in ["b", "c"] {
            #expect(Files.rename(paused.folder(name), paused.folder("a")))
        }
        paused.resume()
        paused.watching.expect("renamed b -> a", "renamed c -> a")
    }

    @Test("a file that replaces another one before the events are read causes no scan")
    func savedAtOnce() throws {
        let paused = try PausedWatching(files: ["a", "b"], sizes: [1, 1])
        // A scan would find this write, which has no event.
        #expect(Files.writeMapped(paused.folder("b"), [2]))
        paused.folder.makeFile("new")
        #expect(Files.rename(paused.folder("new"), paused.folder("a")))
        paused.resume()
        paused.watching.expect("created new", "renamed new -> a")
        paused.folder.makeFile("last")
        paused.watching.expect("created last")
        let disk = Disk.tree(at: paused.folder.path)
        for entry in paused.watching.snapshot() {
            #expect(disk[entry.path.bytes]?.inode == entry.inode, "\(entry.path)")
        }
    }

    @Test("a new file whose name another one has by the time it is examined")
    func nameUsedAgain() throws {
        let paused = try PausedWatching(files: ["a", "new"])
        #expect(Files.remove(paused.folder("new")))
        paused.folder.makeFile("new")
        #expect(Files.rename(paused.folder("new"), paused.folder("a")))
        paused.folder.makeFile("new")
        paused.resume()
        paused.watching.expect(
            "removed new", "created new", "renamed new -> a", "created new", "+modified a")
        let disk = Disk.tree(at: paused.folder.path)
        for entry in paused.watching.snapshot() {
            #expect(disk[entry.path.bytes]?.inode == entry.inode, "\(entry.path)")
        }
    }

    @Test("a new file that was moved on, and another one that has its name when it is examined")
    func nameTaken() throws {
        let paused = try PausedWatching(["folder"], files: ["a"])
        #expect(Files.makeDirectory(paused.folder("new")))
        #expect(Files.rename(paused.folder("folder"), paused.folder("new/folder")))
        paused.folder.makeFile("b")
        #expect(Files.rename(paused.folder("b"), paused.folder("new/folder/b")))
        #expect(Files.rename(paused.folder("a"), paused.folder("b")))
        paused.resume()
        paused.watching.expect(
            "created new", "+created new/folder", "+created new/folder/b", "removed folder",
            "created b", "renamed a -> b")
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

    enum Follower: String, CaseIterable {
        case rename, renameAndAttributes, exchange, remove, none
    }

    @Test(
        "files that exchange their names right before another change", arguments: Follower.allCases)
    func exchanged(follower: Follower) throws {
        let paused = try PausedWatching(files: ["a", "b", "c"], sizes: [1, 2, 3])
        let (a, b, c) = (paused.folder("a"), paused.folder("b"), paused.folder("c"))
        #expect(Files.exchange(a, b))
        switch follower {
        case .rename: #expect(Files.rename(c, b))
        case .renameAndAttributes:
            #expect(Files.rename(c, b))
            #expect(Files.call(a) { chmod($0, 0o600) })
        case .exchange: #expect(Files.exchange(a, b))
        case .remove: #expect(Files.remove(b))
        case .none: break
        }
        paused.resume()
        let files = [a, b, c]
        let disk = files.map { Files.bytes(of: $0)?.count }
        expectEventually(paused.watching.changes) { changes in
            var known: [FilePath: Int] = [a: 1, b: 2, c: 3]
            for change in changes {
                if let previous = change.previousPath {
                    known[change.path] = known.removeValue(forKey: previous)
                } else if change.action != .attributes {
                    known[change.path] = Files.bytes(of: change.path)?.count
                }
            }
            return files.map { known[$0] } == disk
        }
    }

    @Test("a write without an event, before the events of two renames are read")
    func renamedTwice() throws {
        let paused = try PausedWatching(files: ["a"], sizes: [1])
        let disk = { Disk.tree(at: paused.folder.path) }
        let time = disk()[paused.folder("a").bytes]?.modificationNanoseconds
        #expect(Files.rename(paused.folder("a"), paused.folder("b")))
        #expect(Files.rename(paused.folder("b"), paused.folder("c")))
        #expect(
            poll {
                Files.writeMapped(paused.folder("c"), [2])
                    && disk()[paused.folder("c").bytes]?.modificationNanoseconds != time
            })
        paused.resume()
        paused.watching.expect("renamed a -> b", "renamed b -> c", "+modified c")
    }

    @Test("a lost write that restores what was known before the reported one")
    func restored() throws {
        let paused = try PausedWatching(files: ["a"])
        // The file is as it was.
        paused.deliver(.modified, "a")
        paused.deliver(InotifyBatch(hasOverflowed: true))
        paused.watching.expect("modified a", "overflow ", "rescan ", "+modified a")
    }

    @Test("a comparison of all folders without lost events does not report a written file again")
    func compared() throws {
        let paused = try PausedWatching(files: ["a"])
        append(1, to: paused.folder("a"))
        paused.deliver(.modified, "a")
        paused.watching.expect("modified a")
        paused.engine.queue.sync {
            paused.engine.compareRoots(isPoll: false)
            paused.engine.scanSome()
        }
        paused.deliver(.attributes, "a")
        paused.watching.expect("attributes a")
    }

    @Test("a written file whose folder has a new watch")
    func watchedAgain() throws {
        let paused = try PausedWatching(files: ["a"])
        paused.deliver(.modified, "a")
        append(1, to: paused.folder("a"))
        let (engine, root) = (paused.engine, paused.root)
        engine.queue.sync {
            // As the kernel does when the folder is removed.
            guard let watch = engine.tree[root].watch else { return }
            engine.remove(.node(root), of: watch)
        }
        paused.scanRoot()
        paused.deliver(.attributes, "a")
        paused.watching.expect("modified a", "+modified a", "attributes a")
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
        let watching = try polled(names: ["root/a", "elsewhere"])
        let folder = watching.folder
        append(1, to: folder("root/a"))
        watching.expect("modified root/a")
        compare(watching.watcher.engine)
        #expect(watching.reported == [])
        append(1, to: folder("elsewhere"))
        compare(watching.watcher.engine)
        watching.expect("+modified root/a")
    }

    @Test("a poll does not report a change of a file's time, which was reported")
    func timeChanged() throws {
        let watching = try polled(names: ["root/a", "elsewhere"])
        #expect(Files.call(watching.folder("root/a")) { utimes($0, nil) })
        watching.expect("attributes root/a")
        compare(watching.watcher.engine)
        #expect(watching.reported == [])
        append(1, to: watching.folder("elsewhere"))
        compare(watching.watcher.engine)
        watching.expect("+modified root/a")
    }

    @Test("a write of a file that has two names, where folders are polled")
    func otherName() throws {
        let watching = try polled(names: ["root/a", "root/b"])
        append(1, to: watching.folder("root/a"))
        watching.expect("modified root/a")
        #expect(watching.snapshot().map(\.size) == [0, 1, 1])
    }

    /// Watches a folder `root` with a file, which has two names.
    /// - Parameter names: writes under a name outside of the root cause no events.
    private func polled(names: [String]) throws -> Watching {
        let folder = Folder()
        folder.makeDirectory("root")
        folder.makeFile(names[0])
        #expect(Files.call(folder(names[0]), folder(names[1])) { link($0, $1) })
        return try Watching(
            {
                $0.window = .nanoseconds(0)
                $0.pollInterval = .seconds(3600)
                $0.pollsEverywhere = true
            }, in: folder, roots: [folder("root")])
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
