import Glibc
import LinuxPlatform
import RingDispatch
import SystemPackage
import Testing

@testable import FileWatching

/// When the kernel's queue overflows, the watcher reports it once and finds the lost changes.
@Suite("Overflow", .watchdog)
struct OverflowTests {
    private var queueLimit: Int {
        let bytes = Files.bytes(of: "/proc/sys/fs/inotify/max_queued_events") ?? []
        return Int(String(decoding: bytes, as: UTF8.self).filter(\.isNumber)) ?? 16_384
    }

    @Test("one overflow, one rescan, and then the missed changes", arguments: [0, 50])
    func repair(windowMilliseconds: Int) throws {
        let reader = SharedInotifyReader()
        let folder = Folder()
        for name in ["changed", "gone"] { folder.makeFile(name) }
        folder.makeDirectory("old")
        folder.makeFile("old/inside")
        folder.makeDirectory("noise")
        let watching = try Watching(
            { $0.window = .milliseconds(windowMilliseconds) }, reader: reader, in: folder)
        reader.pause()
        makeNoise(in: folder)
        append(3, to: folder("changed"))
        #expect(Files.remove(folder("gone")))
        #expect(Files.rename(folder("old"), folder("new")))
        folder.makeDirectory("fresh")
        folder.makeFile("fresh/inside")
        reader.resume()
        expectEventually(watching.changes) { $0.contains { $0.path == folder("fresh/inside") } }
        append(1, to: folder("new/inside"))
        expectEventually(watching.changes) { changes in
            changes.contains { $0.action == .modified && $0.path == folder("new/inside") }
        }
        let reported = watching.reported
        #expect(reported.filter { $0.hasPrefix("overflow") } == ["overflow "])
        #expect(reported.filter { $0.hasPrefix("rescan") } == ["rescan "])
        let found = reported.drop { $0 != "rescan " }
        for line in [
            "+modified changed", "+removed gone", "+removed old", "+created new",
            "+created new/inside", "+created fresh", "+created fresh/inside",
        ] {
            #expect(found.contains(line), "\(line)")
        }
        #expect(
            watching.snapshotPaths.filter { !$0.hasPrefix("noise/") }
                == ["changed", "fresh", "fresh/inside", "new", "new/inside", "noise"])
        let counts = watching.watcher.statistics
        #expect(counts.overflows == 1 && counts.rescans == 1 && counts.repairs >= 7)
        let error = try #require(watching.errors.value.first)
        #expect(error.reason == .queueLimit)
        #expect(error.description.contains("fs.inotify.max_queued_events = \(queueLimit)"))
    }

    /// More events of a few files than the kernel's queue holds.
    private func makeNoise(in folder: Folder) {
        let paths = ["noise/a", "noise/b"].map { folder($0) }
        for path in paths { #expect(Files.write(path, [])) }
        for _ in 0...(queueLimit / 2) {
            // Alternating, because the kernel merges an event with an equal previous one.
            for path in paths { append(1, to: path) }
        }
    }
}
