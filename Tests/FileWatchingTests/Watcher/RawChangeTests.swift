import Glibc
import RingDispatch
import SystemPackage
import Testing

@testable import FileWatching

/// With a window of 0, each event of the kernel is one change.
@Suite("Raw changes", .watchdog)
struct RawChangeTests {
    @Test("a file made, written and removed")
    func lifeOfAFile() throws {
        let watching = try Watching()
        let path = watching.folder.makeFile("a")
        watching.expect("created a")
        append(3, to: watching.folder("a"))
        watching.expect("modified a")
        chmod(path, 0o644)
        watching.expect("attributes a")
        unlink(path)
        watching.expect("removed a")
    }

    @Test("a file made again at once is reported as removed and created")
    func madeAgain() throws {
        let folder = Folder()
        let path = folder.makeFile("a")
        let watching = try Watching(in: folder)
        unlink(path)
        folder.makeFile("a")
        watching.expect("removed a", "created a")
    }

    @Test("a renaming is one change, and the children of a folder follow it")
    func renaming() throws {
        let folder = Folder()
        folder.makeDirectory("d")
        folder.makeFile("d/a")
        let watching = try Watching(in: folder)
        // Both events of the renaming are read together.
        watching.watcher.pause()
        #expect(Files.rename(folder("d"), folder("e")))
        watching.watcher.resume()
        watching.expect("renamed d -> e")
        append(1, to: folder("e/a"))
        watching.expect("modified e/a")
        #expect(watching.snapshotPaths == ["e", "e/a"])
    }

    @Test("a move out of the tree is a removal, a move into it creates all entries")
    func acrossTheBorder() throws {
        let folder = Folder()
        folder.makeDirectory("in")
        folder.makeDirectory("out")
        folder.makeDirectory("out/d")
        folder.makeFile("out/d/a")
        let watching = try Watching(in: folder, roots: [folder("in")])
        #expect(Files.rename(folder("out/d"), folder("in/d")))
        watching.expect("created in/d", "+created in/d/a")
        #expect(Files.rename(folder("in/d"), folder("out/d")))
        watching.expect("removed in/d")
        folder.makeFile("out/d/b")
        folder.makeFile("in/c")
        watching.expect("created in/c")
    }

    @Test("files in new folders are found, and reported once")
    func freshFolders() throws {
        let watching = try Watching()
        let folder = watching.folder
        var path = "d"
        for _ in 0..<20 {
            folder.makeDirectory(path)
            folder.makeFile(path + "/a")
            path += "/d"
        }
        expectEventually(watching.changes) { changes in
            changes.filter { $0.action == .created }.count >= 40
        }
        folder.makeFile("last")
        watching.expectChanges(of: ["last"])
        let paths = watching.changes.value.map(\.path)
        #expect(paths.count == 41 && Set(paths).count == 41, "\(watching.reported)")
    }

    @Test("a snapshot has the true sizes, those of files of more than 4 GiB too")
    func sizes() throws {
        let watching = try Watching()
        let path = watching.folder("large")
        let descriptor = open(path.string, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        watching.expect("created large")
        // The tree uses UInt32.max as a marker for large sizes.
        for size in [5 << 30, 7, 0xffff_fffe, 0xffff_ffff, 0x1_0000_0000, 0] {
            #expect(ftruncate(descriptor, size) == 0)
            watching.expect("modified large")
            let entry = watching.snapshot().first { $0.path == path }
            #expect(entry?.size == UInt64(size))
        }
        #expect(ftruncate(descriptor, 6 << 30) == 0 && unlink(path.string) == 0)
        watching.expect("modified large", "removed large")
        #expect(watching.snapshotPaths.isEmpty)
    }

    @Test("a snapshot has the new size under all names of a file")
    func otherNames() throws {
        let folder = Folder()
        folder.makeDirectory("d")
        folder.makeFile("a")
        for name in ["b", "d/c"] {
            #expect(Files.call(folder("a"), folder(name)) { Glibc.link($0, $1) })
        }
        folder.makeFile("other")
        let watching = try Watching(in: folder)
        var size: UInt64 = 0
        for name in ["a", "d/c", "b"] {
            append(3, to: folder(name))
            size += 3
            watching.expect("modified \(name)")
            let sizes = watching.snapshot().filter { $0.kind == .file }.map(\.size)
            #expect(sizes == [size, size, size, 0])
        }
    }

    @Test("a renaming may change the kind of what is at a path")
    func changedKind() throws {
        let folder = Folder()
        folder.makeFile("a")
        #expect(Files.call(folder("nowhere"), folder("link")) { symlink($0, $1) })
        let watching = try Watching(in: folder)
        watching.watcher.pause()
        #expect(Files.rename(folder("link"), folder("a")))
        watching.watcher.resume()
        expectEventually(watching.changes) { $0.last?.kind == .symlink }
        watching.expect("renamed link -> a")
    }

    @Test("a window that never ends is a mistake")
    func endless() async {
        let result = await #expect(processExitsWith: .signal(SIGABRT), observing: lastWords) {
            prepareForTrap()
            _ = try Watching { $0.window = .never }
        }
        expectMessage(result, naming: "FileTreeOptions.window", ".never", "pass 0")
    }
}
