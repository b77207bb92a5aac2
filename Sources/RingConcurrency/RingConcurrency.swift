/// Swift's concurrency on the event loops, where tasks may block.
public enum RingConcurrency {
    /// Runs all tasks, actors and the main actor on RingDispatch's event loops from now on.
    ///
    /// A task may then block in any way, like a handler of a queue: in read(2), in a semaphore, in
    /// `sleep`. Another thread goes on with the other tasks. This holds for all code of the
    /// process, also for libraries that know nothing of RingDispatch. A blocked actor still keeps
    /// its other callers waiting.
    ///
    /// Call it first in `main`, while no other thread uses tasks. A task that runs already goes on
    /// here when it is next resumed. In a synchronous
    /// `main`, `dispatchMain()` serves the main actor on the main thread. An `async` `main`, and
    /// code at the top level that awaits, are already served by libdispatch when they call this;
    /// the main actor stays there, everything else moves.
    ///
    /// Only Swift 6.3 has the interface that this needs. Built with another version, it
    /// writes one line to standard error and changes nothing.
    /// - Returns: whether tasks may block now. Further calls change nothing.
    @discardableResult
    public static func install() -> Bool { isInstalled }

    private static let isInstalled = Executors.install()
}
