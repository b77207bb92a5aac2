import Synchronization

@testable import KeyValueServer

/// A clock that stands still until a test advances it.
final class ManualClock: Sendable {
    // Relaxed: a test that advances it sends a command afterwards.
    private let now = Atomic<Int>(1_000_000)

    func advance(milliseconds: Int) { now.wrappingAdd(milliseconds, ordering: .relaxed) }

    func makeDatabase() -> Database {
        let database = Database()
        database.clock = { self.now.load(ordering: .relaxed) }
        return database
    }
}
