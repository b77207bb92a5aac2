import Synchronization
@testable import KeyValueStore

/// A clock that stands still until a test advances it.
final class ManualClock: Sendable {
    // Relaxed: tests that advance it use one thread.
    private let now = Atomic<Int64>(1_000_000)

    func advance(milliseconds: Int64) {
        now.wrappingAdd(milliseconds, ordering: .relaxed)
    }

    /// A store whose keys expire by this clock, and by no timer.
    func makeStore(_ change: (inout StoreConfiguration) -> Void = { _ in }) -> Store {
        var configuration = StoreConfiguration()
        configuration.clock = { self.now.load(ordering: .relaxed) }
        configuration.expiresByTimer = false
        change(&configuration)
        return Store(configuration)
    }
}

/// A store with other limits than the usual ones.
func makeStore(_ change: (inout StoreConfiguration) -> Void) -> Store {
    var configuration = StoreConfiguration()
    change(&configuration)
    return Store(configuration)
}
