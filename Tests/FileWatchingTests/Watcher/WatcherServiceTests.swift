#if ServiceLifecycle
import FileWatching
import RingDispatch
import ServiceLifecycle
import SystemPackage
import TestSupport
import Testing

@Suite("A watcher as a service", .watchdog)
struct WatcherServiceTests {
    @Test("It runs until its task is cancelled")
    func life() async throws {
        let watcher = try FileTreeWatcher(["/etc/apt"], queue: DispatchQueue(label: "w"))
        let (ready, cancelled) = (Gate(), Gate())
        watcher.setReadyHandler { ready.open() }
        watcher.setCancelHandler { cancelled.open() }
        let task = ownTask { try await watcher.service().run() }
        expectOpens(ready)
        #expect(!cancelled.wasOpened)
        task.cancel()
        expectOpens(cancelled)
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
#endif
