@testable import FileWatching
import Glibc
@testable import LinuxPlatform
import SystemPackage
import Testing

/// Storms that overflow the kernel's queue while the reader is paused.
@Suite("Overflow storms", .watchdog(limitSeconds: Storm.limitSeconds))
struct OverflowStormTests {
    /// The size of the kernel's queue.
    private static let queueLimit: Int = {
        let bytes = Files.bytes(of: "/proc/sys/fs/inotify/max_queued_events") ?? []
        return Int(String(decoding: bytes.prefix { $0 != 0x0a }, as: UTF8.self)) ?? .max
    }()
    private static let isLimitSmall = queueLimit <= 65536

    /// Alternating events: the kernel merges an event with an equal previous one.
    private func fillQueue(_ tree: FilePath) {
        let files = ["one", "two"].map { name in
            tree.appending(name).withPlatformString { open($0, O_WRONLY | O_APPEND | O_CLOEXEC) }
        }
        defer { for file in files { close(file) } }
        for _ in 0...(Self.queueLimit / 2) {
            for file in files { #expect(write(file, "x", 1) == 1) }
        }
    }

    private func prepare(_ tree: FilePath) {
        for name in ["one", "two", "gone", "changed", "old/name/file", "removed/a/b"] {
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
        .enabled(if: isLimitSmall), arguments: Storm.windowsMilliseconds)
    func repaired(windowMilliseconds: Int) throws {
        let reader = SharedInotifyReader()
        let storm = try Storm(
            windowMilliseconds: windowMilliseconds, reader: reader, prepare: { prepare($0) })
        defer { storm.end(allowing: .queueLimit) }
        reader.pause()
        fillQueue(storm.tree)
        change(storm.tree)
        reader.resume()
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
        #expect(storm.changes.contains { $0.path.lastComponent == "other" && !$0.isDiscovered })
    }

    @Test(
        "a queue that overflows again and again is repaired each time",
        .enabled(if: isLimitSmall))
    func again() throws {
        let reader = SharedInotifyReader()
        let storm = try Storm(windowMilliseconds: 0, reader: reader, prepare: { prepare($0) })
        defer { storm.end(allowing: .queueLimit) }
        for round in 1...3 {
            reader.pause()
            fillQueue(storm.tree)
            #expect(Files.makeDirectories(storm.tree.appending("\(round)/a")))
            #expect(Files.write(storm.tree.appending("\(round)/a/file"), [1]))
            Files.removeAll(storm.tree.appending("\(round - 1)"))
            reader.resume()
            storm.check("round \(round)")
            #expect(storm.statistics.overflows == UInt64(round))
        }
    }
}
