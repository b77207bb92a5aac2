import Glibc
import LinuxPlatform
import RingDispatch
import Synchronization
import SystemPackage
import Testing

@testable import FileWatching

/// File systems on which the kernel does not report what others change.
@Suite("Polling", .watchdog)
struct PollingTests {
    /// Grants all watches, and never reports an event: as if others made all changes.
    private final class DeafInotify: Inotify {
        private let kernel: InotifyDescriptor
        private let last = Atomic<Int32>(0)

        init() throws(SystemError) { kernel = try InotifyDescriptor() }

        var descriptor: Int32 { kernel.descriptor }
        func watch(
            _ place: FilePlace, for mask: InotifyMask, isAdding: Bool
        ) throws(SystemError) -> Int32 {
            last.wrappingAdd(1, ordering: .relaxed).newValue
        }
        func unwatch(_ number: Int32) {}
        func close() { kernel.close() }
    }

    private static func table(_ folder: Folder, _ type: String) -> MountTable {
        MountTable(
            text: """
                21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
                36 21 0:42 / \(folder.path) rw,relatime shared:2 master:1 - \(type) server:/a rw
                """)
    }

    private func watching(
        _ folder: Folder, type: String, roots: [FilePath]? = nil,
        _ options: @escaping (inout FileTreeOptions) -> Void = { _ in }
    ) throws -> Watching {
        try Watching(
            {
                $0.window = .nanoseconds(0)
                $0.pollInterval = .milliseconds(20)
                options(&$0)
            },
            in: folder, roots: roots, mountTable: { Self.table(folder, type) },
            makeInotify: { () throws(SystemError) in try DeafInotify() })
    }

    @Test("changes that the kernel does not report are found", arguments: ["nfs4", "fuse.sshfs"])
    func changes(type: String) throws {
        let folder = Folder()
        folder.makeFile("old")
        folder.makeDirectory("deep")
        let watching = try watching(folder, type: type)
        #expect(watching.watcher.statistics.polledRoots == 1)
        #expect(watching.errors.value.map(\.reason) == [.sharedFileSystem])
        folder.makeFile("deep/new")
        watching.expectChanges(of: ["deep/new"], .created)
        append(3, to: folder("old"))
        watching.expectChanges(of: ["old"], .modified)
        #expect(Files.remove(folder("old")))
        watching.expectChanges(of: ["old"], .removed)
        #expect(watching.snapshotPaths == ["deep", "deep/new"])
        #expect(watching.watcher.statistics.overflows == 0)
    }

    @Test("a root file that others replace is watched again, and only then")
    func replacedRoot() throws {
        let folder = Folder()
        folder.makeFile("root")
        folder.makeFile("new")
        let watching = try watching(folder, type: "nfs4", roots: [folder("root")])
        let engine = watching.watcher.engine
        let fileWatch = { engine.queue.sync { engine.confined.roots[0].fileWatch } }
        let first = fileWatch()
        #expect(poll { watching.watcher.statistics.polls > 2 })
        #expect(fileWatch() == first)
        #expect(Files.rename(folder("new"), folder("root")))
        watching.expect("modified root")
        #expect(poll { fileWatch() != first })
    }

    @Test("on other file systems, folders are compared on request only")
    func everywhere() throws {
        let folder = Folder()
        let silent = try watching(folder, type: "xfs")
        #expect(silent.watcher.statistics.polledRoots == 0)
        #expect(silent.errors.value.isEmpty)
        let watching = try watching(folder, type: "xfs") { $0.pollsEverywhere = true }
        folder.makeFile("new")
        watching.expectChanges(of: ["new"], .created)
        #expect(watching.errors.value.isEmpty)
        #expect(silent.watcher.statistics.rescans == 0)
    }

    @Test(
        "a mounted file system is not taken for a new folder",
        .enabled(if: MemoryDisk.isAllowed, "this process may not mount"))
    func mounted() throws {
        let folder = Folder()
        let disk = MemoryDisk(at: folder("disk"))
        #expect(disk.isMounted)
        folder.makeFile("disk/old")
        let watching = try watching(folder, type: "xfs") { $0.pollsEverywhere = true }
        #expect(poll { watching.watcher.statistics.polls > 2 })
        folder.makeFile("disk/new")
        watching.expect("+created disk/new")
        watching.watcher.cancel()
        watching.isCancelled.pass()
    }

    @Test(
        "what cannot be examined is not taken for removed",
        .enabled(if: geteuid() != 0, "the super-user reads everything"))
    func unreadable() throws {
        let folder = Folder()
        for name in ["above", "above/root"] { folder.makeDirectory(name) }
        folder.makeFile("above/root/a")
        let root = folder("above/root")
        let watching = try Watching(
            {
                $0.window = .nanoseconds(0)
                $0.pollInterval = .milliseconds(10)
                $0.pollsEverywhere = true
            }, in: folder, roots: [root])
        // First the root's entries, then the root itself.
        for (path, mode) in [(root, 0o400), (folder("above"), 0)] as [(FilePath, mode_t)] {
            #expect(Files.call(path) { chmod($0, mode) })
            let polls = watching.watcher.statistics.polls
            #expect(poll { watching.watcher.statistics.polls > polls + 2 })
            #expect(Files.call(path) { chmod($0, 0o755) })
        }
        folder.makeFile("above/root/b")
        watching.expectChanges(of: ["above/root/b"])
        let actions = watching.changes.value.map(\.action)
        #expect(!actions.contains(.removed), "\(watching.reported)")
        #expect(watching.errors.value.map(\.path) == [root])
        #expect(watching.snapshotPaths == ["above/root", "above/root/a", "above/root/b"])
    }

    @Test("without a poll interval, the error says what is missing")
    func never() throws {
        let watching = try watching(Folder(), type: "cifs") { $0.pollInterval = .never }
        #expect(watching.watcher.statistics.polledRoots == 0)
        let error = try #require(watching.errors.value.first)
        #expect(error.description.contains("cifs") && error.description.contains("poll interval"))
    }

    @Test("a folder that cannot be watched is reported once, not at each poll")
    func failure() throws {
        let folder = Folder()
        folder.makeDirectory("closed")
        // The folders above the root, and the root.
        let above = folder.path.components.count
        let rules = Watched(RefusingInotify.Rules(code: EACCES, allowed: 0..<(above + 1)))
        let watching = try Watching(
            {
                $0.pollInterval = .milliseconds(10)
                $0.pollsEverywhere = true
            },
            in: folder, makeInotify: RefusingInotify.maker(rules))
        let statistics = { watching.watcher.statistics }
        #expect(poll { statistics().polls > 4 })
        let paths = watching.errors.value.map(\.path)
        #expect(paths.contains(folder("closed")) && paths.count == Set(paths).count, "\(paths)")
    }
}
