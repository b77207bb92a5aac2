import Glibc
import LinuxPlatform
import RingDispatch
import SystemPackage
import Testing

@testable import FileWatching

/// Roots that are files, or links to one: their removal, permissions, times and other names.
@Suite("File roots", .watchdog)
struct FileRootTests {
    private func setTime(of path: FilePath, seconds: Int) {
        let times = [timeval](repeating: timeval(tv_sec: seconds, tv_usec: 0), count: 2)
        #expect(Files.call(path) { utimes($0, times) })
    }

    /// A watched link to `target/a`.
    private func linked(_ folder: Folder) throws -> Watching {
        folder.makeDirectory("target")
        folder.makeFile("target/a")
        #expect(Files.call(folder("target/a"), folder("other")) { Glibc.link($0, $1) })
        #expect(Files.call("target/a", folder("root")) { symlink($0, $1) })
        return try Watching(in: folder, roots: [folder("root")])
    }

    @Test("a link's target is removed while the file has another name")
    func otherNameRemains() throws {
        let folder = Folder()
        let watching = try linked(folder)
        #expect(Files.remove(folder("target/a")))
        watching.expect("removed root")
        #expect(watching.snapshotPaths == [])
        #expect(Files.call("other", folder("new")) { symlink($0, $1) })
        #expect(Files.rename(folder("new"), folder("root")))
        watching.expect("created root")
        append(1, to: folder("other"))
        watching.expect("modified root")
    }

    @Test("a snapshot has the time of the file that a link leads to")
    func timeOfTarget() throws {
        let folder = Folder()
        let watching = try linked(folder)
        setTime(of: folder("target/a"), seconds: 5)
        watching.expect("attributes root")
        #expect(watching.snapshot().map(\.modifiedNanoseconds) == [5_000_000_000])
    }

    @Test("a snapshot has the new size under all names of a file that is a root")
    func otherNames() throws {
        let folder = Folder()
        folder.makeFile("a")
        folder.makeDirectory("d")
        #expect(Files.call(folder("a"), folder("d/b")) { Glibc.link($0, $1) })
        let watching = try Watching(in: folder, roots: [folder("a"), folder("d")])
        append(3, to: folder("a"))
        watching.expect("modified a")
        #expect(watching.snapshot().filter { $0.kind == .file }.map(\.size) == [3, 3])
    }

    @Test("a file that becomes readable is watched from then on")
    func becomesReadable() throws {
        let folder = Folder()
        folder.makeFile("a")
        let rules = Watched(RefusingInotify.Rules(code: EACCES, refused: folder("a").string))
        let watching = try Watching(
            in: folder, roots: [folder("a")], makeInotify: RefusingInotify.maker(rules))
        expectEventually(watching.errors) { $0.map(\.path) == [folder("a")] }
        // The file that takes its place is another one, with an error of its own.
        #expect(Files.remove(folder("a")))
        watching.expect("removed a")
        folder.makeFile("a")
        watching.expect("created a")
        expectEventually(watching.errors) { $0.count == 2 }
        rules.update { $0.refused = "" }
        #expect(Files.call(folder("a")) { chmod($0, 0o600) })
        let engine = watching.watcher.engine
        #expect(poll { engine.queue.sync { engine.confined.roots[0].fileWatch != nil } })
        append(1, to: folder("a"))
        watching.expect("modified a")
        #expect(watching.errors.value.count == 2)
    }

    @Test("a new time of a polled file is not reported as a write, too")
    func polledAttributes() throws {
        let folder = Folder()
        folder.makeFile("a")
        let watching = try Watching(
            {
                $0.window = .nanoseconds(0)
                $0.pollInterval = .seconds(3600)
                $0.pollsEverywhere = true
            }, in: folder, roots: [folder("a")])
        setTime(of: folder("a"), seconds: 5)
        watching.expect("attributes a")
        // As a poll does.
        let engine = watching.watcher.engine
        engine.queue.sync { engine.examine(0) }
        #expect(watching.snapshot().map(\.modifiedNanoseconds) == [5_000_000_000])
        #expect(watching.reported == [])
    }
}
