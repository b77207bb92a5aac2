import Glibc
import LinuxPlatform
import RingDispatch
import SystemPackage
import Testing

@testable import FileWatching

/// When the kernel's queue overflows, the watcher reports it once and finds the lost changes.
@Suite("Overflow", .watchdog)
struct OverflowTests {
    @Test("one overflow, one rescan, and then the missed changes", arguments: [0, 50])
    func repair(windowMilliseconds: Int) throws {
        let folder = Folder()
        for name in ["changed", "gone", "noise"] { folder.makeFile(name) }
        folder.makeDirectory("old")
        folder.makeFile("old/inside")
        let watching = try Watching(
            {
                $0.window = .milliseconds(windowMilliseconds)
                $0.ignore = ["/noise"]
            }, in: folder)
        watching.watcher.pause()
        KernelQueue.fill(changing: folder("noise"))
        append(3, to: folder("changed"))
        #expect(Files.remove(folder("gone")))
        #expect(Files.rename(folder("old"), folder("new")))
        folder.makeDirectory("fresh")
        folder.makeFile("fresh/inside")
        watching.watcher.resume()
        watching.expectChanges(of: ["fresh/inside"])
        append(1, to: folder("new/inside"))
        watching.expectChanges(of: ["new/inside"], .modified)
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
            watching.snapshotPaths
                == ["changed", "fresh", "fresh/inside", "new", "new/inside"])
        let counts = watching.watcher.statistics
        #expect(counts.overflows == 1 && counts.rescans == 1 && counts.repairs >= 7)
        let error = try #require(watching.errors.value.first)
        #expect(error.reason == .queueLimit)
        #expect(error.description.contains("fs.inotify.max_queued_events = \(KernelQueue.limit)"))
    }

    @Test("a snapshot of many files reads the kernel's queue meanwhile")
    func snapshot() throws {
        let folder = Folder(in: Folder.placeForMany)
        for index in 0..<1100 { folder.makeFile("\(index)") }
        let watching = try Watching(in: folder)
        let engine = watching.watcher.engine
        let readEvents = Watched<[UInt64]>([])
        let count = { @Sendable in
            let waiting = UInt64(engine.confined.waiting.events.count)
            readEvents.append(engine.confined.counts.events + waiting)
        }
        engine.queue.sync {
            count()
            watching.watcher.snapshot { _ in }
            engine.queue.async(execute: count)
            folder.makeFile("new")
        }
        expectEventually(readEvents) { $0.count == 2 }
        #expect(readEvents.value.last != readEvents.value.first)
        watching.expect("created new")
    }
}
