import Glibc
import LinuxPlatform
import RingDispatch
import SystemPackage
import TestSupport
import Testing

@testable import FileWatching

/// Each in a process of its own, whose descriptors run out for a while.
@Suite("Shortage of descriptors", .watchdog)
struct ShortageTests {
    @Test("a new folder that lacked a descriptor is scanned once there is one")
    func newFolder() async {
        await #expect(processExitsWith: .success) {
            let folder = Folder()
            for name in ["root", "new", "new/inner"] { folder.makeDirectory(name) }
            folder.makeFile("new/inner/file")
            let watching = try Watching(in: folder, roots: [folder("root")])
            var shortage = Shortage()
            #expect(Files.rename(folder("new"), folder("root/new")))
            expectEventually(watching.errors) { $0.count == 1 }
            #expect(watching.errors.value.first?.path == folder("root/new"))
            shortage.end()
            watching.expectChanges(of: ["root/new/inner/file"])
            folder.makeFile("root/new/inner/later")
            watching.expectChanges(of: ["root/new/inner/later"])
        }
    }

    @Test("after lost events, the comparison goes on once there is a descriptor")
    func repair() async {
        await #expect(processExitsWith: .success) {
            let paused = try PausedWatching(files: ["a"], sizes: [1])
            paused.deliver(.modified, "a")
            // A write without an event.
            #expect(Files.writeMapped(paused.folder("a"), [2]))
            var shortage = Shortage()
            paused.deliver(InotifyBatch(hasOverflowed: true))
            expectEventually(paused.watching.errors) { $0.count == 2 }
            let error = paused.watching.errors.value.last
            #expect(error?.reason == .descriptorLimit && error?.path == paused.folder.path)
            #expect(error?.description.contains("cannot be watched") == false)
            paused.resume()
            shortage.end()
            paused.watching.expect("modified a", "overflow ", "rescan ", "+modified a")
        }
    }

    @Test("the patterns of a .gitignore file stay until it can be read again")
    func rules() async {
        await #expect(processExitsWith: .success) {
            let folder = Folder()
            for name in ["a", "b"] { folder.makeFile(name) }
            #expect(Files.write(folder(".gitignore"), Array("a\n".utf8)))
            let watching = try Watching(
                {
                    $0.window = .nanoseconds(0)
                    $0.readsGitignore = true
                }, in: folder)
            let file = folder(".gitignore").withPlatformString { open($0, O_WRONLY | O_APPEND) }
            // Suffices for the folder.
            var shortage = Shortage(leaving: 1)
            #expect(write(file, "b\n", 2) == 2)
            expectEventually(watching.errors) { $0.count == 1 }
            #expect(watching.errors.value.first?.reason == .descriptorLimit)
            #expect(watching.snapshotPaths == [".gitignore", "b"])
            shortage.end()
            #expect(poll { watching.snapshotPaths == [".gitignore"] })
            #expect(watching.reported.allSatisfy { $0.hasSuffix("modified .gitignore") })
        }
    }
}

/// Takes the process's descriptors.
private struct Shortage {
    private var taken: [Int32] = []

    /// - Parameter count: how many stay free.
    init(leaving count: Int = 0) {
        letTasksHaveTheirDescriptors()
        var limit = rlimit(rlim_cur: 256, rlim_max: 256)
        setrlimit(__rlimit_resource_t(7), &limit)  // RLIMIT_NOFILE, whose enumerator is missing
        while case let number = open("/dev/null", O_RDONLY | O_CLOEXEC), number >= 0 {
            taken.append(number)
        }
        for number in taken.suffix(count) { close(number) }
        taken.removeLast(count)
    }

    mutating func end() {
        for number in taken { close(number) }
        taken = []
    }
}
