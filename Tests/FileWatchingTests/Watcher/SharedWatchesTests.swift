import RingDispatch
import Testing

@testable import FileWatching

@Suite("Shared watches", .watchdog)
struct SharedWatchesTests {
    @Test("a subscriber is called for its own events, and when it asks for the queue's end")
    func calls() throws {
        let watches = SharedWatches()
        let watching = try Watching(watches: watches)
        let batches = Watched<[InotifyBatch]>([])
        let number = try watches.join { batches.append($0) }
        watching.folder.makeFile("a")
        watching.expect("created a")
        // While reading is paused, the answer waits.
        watches.pause()
        watches.announceEmptiness(to: number)
        watching.folder.makeFile("b")
        watches.resume()
        watching.expect("created b")
        expectEventually(batches) { $0.count == 1 }
        #expect(batches.value.allSatisfy { $0.events.isEmpty && $0.emptiedAtNanoseconds != nil })
        watches.leave(number)
    }
}
