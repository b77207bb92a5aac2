import Glibc
import RingDispatch
import SystemPackage
import Testing

@testable import FileWatching

/// Roots that are files, links, missing, removed and made again.
@Suite("Roots", .watchdog)
struct RootTests {
    @Test("a missing root is an error that names it")
    func missing() throws {
        let folder = Folder()
        let path = folder("nowhere")
        let error = #expect(throws: FileTreeError.self) {
            _ = try Watching(in: folder, roots: [folder.path, path])
        }
        #expect(error?.reason == .notFound && error?.path == path)
        #expect(error?.description.contains("'\(path)' cannot be watched") == true)
    }

    @Test("a file stays watched when another takes its place")
    func replacedFile() throws {
        let folder = Folder()
        folder.makeFile("a")
        let watching = try Watching(in: folder, roots: [folder("a")])
        for _ in 0..<3 {
            folder.makeFile("other")
            #expect(Files.rename(folder("other"), folder("a")))
            watching.expect("modified a")
            append(1, to: folder("a"))
            watching.expect("modified a")
        }
        #expect(watching.snapshotPaths == ["a"])
    }

    @Test("a root that is removed and made again is watched again")
    func madeAgain() throws {
        let folder = Folder()
        folder.makeDirectory("root")
        folder.makeFile("root/a")
        let watching = try Watching(in: folder, roots: [folder("root")])
        Files.removeAll(folder("root"))
        watching.expect("removed root/a", "removed root")
        #expect(watching.snapshotPaths == [])
        folder.makeDirectory("root")
        watching.expect("created root")
        folder.makeFile("root/b")
        watching.expect("created root/b")
    }

    @Test("a root whose parents are removed and made again is watched again")
    func parentsMadeAgain() throws {
        let folder = Folder()
        #expect(Files.makeDirectories(folder("x/y/root")))
        let watching = try Watching(in: folder, roots: [folder("x/y/root")])
        #expect(Files.rename(folder("x"), folder("elsewhere")))
        watching.expect("removed x/y/root")
        #expect(Files.makeDirectories(folder("x/y")))
        folder.makeDirectory("x/y/root")
        watching.expect("created x/y/root")
        folder.makeFile("x/y/root/b")
        watching.expect("created x/y/root/b")
        #expect(watching.snapshotPaths == ["x/y/root", "x/y/root/b"])
    }

    @Test("a root may be a symbolic link to a folder")
    func link() throws {
        let folder = Folder()
        folder.makeDirectory("target")
        #expect(Files.call(folder("target"), folder("root")) { symlink($0, $1) })
        let watching = try Watching(in: folder, roots: [folder("root")])
        folder.makeFile("target/a")
        watching.expect("created root/a")
    }

    @Test("the target of a link is renamed, and another takes its place", arguments: [true, false])
    func renamedTarget(isRoot: Bool) throws {
        let folder = Folder()
        for name in ["root", "releases", "releases/1"] { folder.makeDirectory(name) }
        let link = isRoot ? "link" : "root/link"
        #expect(Files.call(folder("releases/1"), folder(link)) { symlink($0, $1) })
        let watching = try Watching(
            {
                $0.window = .nanoseconds(0)
                $0.followsSymlinks = true
            }, in: folder, roots: [folder(isRoot ? "link" : "root")])
        watching.watcher.pause()
        #expect(Files.rename(folder("releases/1"), folder("releases/old")))
        folder.makeDirectory("releases/1")
        watching.watcher.resume()
        watching.expectChanges(of: [link], .removed)
        watching.expectChanges(of: [link], .created)
        folder.makeFile("releases/old/late")
        folder.makeFile("releases/1/file")
        watching.expectChanges(of: [link + "/file"])
        #expect(!watching.reported.contains { $0.contains("late") })
        #expect(watching.snapshotPaths.suffix(2) == [link, link + "/file"])
    }

    @Test("a root may be a symbolic link to a file")
    func linkToFile() throws {
        let folder = Folder()
        folder.makeDirectory("target")
        folder.makeFile("target/a")
        #expect(Files.call(folder("target/a"), folder("root")) { symlink($0, $1) })
        let watching = try Watching(in: folder, roots: [folder("root")])
        for _ in 0..<2 {
            append(1, to: folder("target/a"))
            watching.expect("modified root")
        }
        #expect(watching.snapshot().map(\.size) == [2])
        #expect(Files.remove(folder("target/a")))
        watching.expect("removed root")
    }

    /// As Kubernetes replaces the files of a ConfigMap: `..data` leads to the folder in force.
    @Test("a link to a file leads to another file when a folder's link is replaced")
    func replacedTarget() throws {
        let folder = Folder()
        func publish(_ version: String) {
            folder.makeDirectory(version)
            folder.makeFile(version + "/key")
            #expect(Files.call(FilePath(version), folder("..tmp")) { symlink($0, $1) })
            #expect(Files.rename(folder("..tmp"), folder("..data")))
        }
        publish("..1")
        #expect(Files.call("..data/key", folder("key")) { symlink($0, $1) })
        let watching = try Watching(in: folder, roots: [folder("key")])
        for version in 1...3 {
            publish("..\(version + 1)")
            Files.removeAll(folder("..\(version)"))
            watching.expect("modified key")
        }
        append(1, to: folder("..4/key"))
        watching.expect("modified key")
    }

    @Test("a file root's attributes and removal are reported once")
    func attributes() throws {
        let folder = Folder()
        let path = folder.makeFile("a")
        let watching = try Watching(in: folder, roots: [folder("a")])
        chmod(path, 0o600)
        watching.expect("attributes a")
        #expect(Files.remove(folder("a")))
        watching.expect("removed a")
        folder.makeFile("a")
        watching.expect("created a")
        append(1, to: folder("a"))
        watching.expect("modified a")
        #expect(watching.reported == [])
    }

    @Test("a root within another is watched with it, and nothing is reported twice")
    func nested() throws {
        let folder = Folder()
        folder.makeDirectory("in")
        let watching = try Watching(in: folder, roots: [folder("in"), folder.path])
        folder.makeFile("in/a")
        folder.makeFile("in/b")
        watching.expect("created in/a", "created in/b")
        folder.makeFile("in/c")
        watching.expect("created in/c")
    }

    @Test("roots within others and repeated ones are left out, and the rest keep their order")
    func outermost() {
        let roots: [FilePath] = ["b/in", "c", "a", "c/", "b", "a/deep/er", "ab", "b"]
        #expect(WatchEngine.outermost(roots) == ["c", "a", "b", "ab"])
        #expect(WatchEngine.outermost(["/x", "/", "y"]) == ["/", "y"])
    }

    @Test("other entries of the folder that many roots share take no memory")
    func shared() throws {
        let folder = Folder()
        let names = ["a", "b", "c"]
        for name in names { folder.makeFile(name) }
        let watching = try Watching(in: folder, roots: names.map { folder($0) })
        watching.watcher.pause()
        folder.makeFile("other")
        #expect(Files.remove(folder("b")))
        let engine = watching.watcher.engine
        let waiting = engine.queue.sync {
            engine.reader.isPaused = false
            engine.reader.read()
            return engine.confined.waiting.events.filter { $0.nameLength > 0 }.map(\.purpose)
        }
        #expect(waiting == [.root(1)])
        watching.expect("removed b")
    }
}
