@testable import FileWatching
import Glibc
@testable import LinuxPlatform
import SystemPackage
import Testing

/// Storms that overflow the kernel's queue while nothing reads its events.
@Suite("Overflow storms", Storm.watchdog)
struct OverflowStormTests {
    private func prepare(_ tree: FilePath) {
        for name in ["noise", "gone", "changed", "old/name/file", "removed/a/b"] {
            let path = tree.appending(name)
            #expect(Files.makeDirectories(path.removingLastComponent()))
            #expect(Files.write(path, [1]))
        }
    }

    /// Changes whose events the kernel drops.
    private func change(_ tree: FilePath) {
        #expect(Files.remove(tree.appending("gone")))
        #expect(Files.write(tree.appending("changed"), [1, 2, 3]))
        #expect(Files.rename(tree.appending("old"), tree.appending("new")))
        #expect(Files.write(tree.appending("new/name/file"), [4, 5]))
        Files.removeAll(tree.appending("removed"))
        #expect(Files.makeDirectories(tree.appending("made/a/b/c")))
        #expect(Files.write(tree.appending("made/a/b/c/file"), [6]))
        // A file instead of a folder.
        #expect(Files.write(tree.appending("removed"), [7]))
    }

    @Test(
        "lost events are one overflow and one rescan, and the changes lead to the true state",
        .enabled(if: KernelQueue.isSmall), arguments: Storm.windowsMilliseconds)
    func repaired(windowMilliseconds: Int) throws {
        let storm = try Storm(
            windowMilliseconds: windowMilliseconds, prepare: { prepare($0) })
        defer { storm.end(allowing: .queueLimit) }
        storm.observer.watcher.pause()
        KernelQueue.fill(changing: storm.tree.appending("noise"))
        change(storm.tree)
        storm.observer.watcher.resume()
        storm.check("after the overflow")
        let actions = storm.changes.map(\.action)
        #expect(actions.count { $0 == .overflow } == 1)
        #expect(actions.count { $0 == .rescan } == 1)
        #expect(storm.statistics.overflows == 1)
        #expect(storm.statistics.repairs > 0)
        // All folders are still watched.
        #expect(Files.write(storm.tree.appending("made/a/b/c/other"), [8]))
        #expect(Files.write(storm.tree.appending("new/name/file"), [9, 9, 9]))
        storm.check("afterwards")
        let later = storm.changes.dropFirst(actions.count)
        #expect(later.contains { $0.path.lastComponent == "other" && !$0.isDiscovered })
    }

    @Test(
        "a queue that overflows again and again is repaired each time",
        .enabled(if: KernelQueue.isSmall))
    func again() throws {
        let storm = try Storm(
            windowMilliseconds: 0, ignoring: "noise", prepare: { prepare($0) })
        defer { storm.end(allowing: .queueLimit) }
        for round in 1...(isDeep ? 3 : 2) {
            storm.observer.watcher.pause()
            KernelQueue.fill(changing: storm.tree.appending("noise"))
            #expect(Files.makeDirectories(storm.tree.appending("\(round)/a")))
            #expect(Files.write(storm.tree.appending("\(round)/a/file"), [1]))
            Files.removeAll(storm.tree.appending("\(round - 1)"))
            storm.observer.watcher.resume()
            storm.check("round \(round)")
            #expect(storm.statistics.overflows == UInt64(round))
        }
    }
}
