#if ServiceLifecycle
import FileWatching
import Logging
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

    @Test("A graceful shutdown cancels it, and ends its service without an error")
    func gracefulShutdown() async throws {
        let folder = Folder()
        let watcher = try FileTreeWatcher([folder.path], queue: DispatchQueue(label: "w"))
        let (ready, cancelled) = (Gate(), Gate())
        watcher.setReadyHandler { ready.open() }
        watcher.setCancelHandler { cancelled.open() }
        let group = ServiceGroup(services: [watcher.service()], logger: Logger(label: "test"))
        let run = ownTask { try await group.run() }
        expectOpens(ready)
        #expect(!cancelled.wasOpened)
        await group.triggerGracefulShutdown()
        expectOpens(cancelled)
        try await run.value
    }
}
#endif
