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
            paused.watches.resume()
            shortage.end()
            paused.watching.expect("modified a", "overflow ", "rescan ", "+modified a")
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
