internal import LinuxPlatform
internal import Synchronization

/// Lets a thread read the queues that other threads run on, which may be freed at any moment.
///
/// Each thread announces its innermost queue (`ThreadHandle.announce`, releasing) before it runs
/// there, and withdraws it before it releases the queue. A queue's `deinit` checks `isUnderWay`.
/// Store-then-check: the thread withdraws the queue, then loads `isUnderWay`; the inspector stores
/// `isUnderWay`, then loads the announced queue (acquiring). Threads run on queues far more often
/// than anybody inspects them, so their side has no barrier of its own: the inspector makes all
/// threads execute one (membarrier(2)) between its store and its load.
enum QueueInspection {
    private static let isUnderWay = Atomic<Bool>(false)
    private static let lock = Locked<Void>(())

    /// Runs a body, during which no announced queue is freed. The body gets false where this is not
    /// possible; then it must not read announced queues.
    static func inspect<Result>(_ body: (_ mayRead: Bool) -> sending Result) -> sending Result {
        lock.withLock { _ in
            isUnderWay.store(true, ordering: .sequentiallyConsistent)
            defer { isUnderWay.store(false, ordering: .sequentiallyConsistent) }
            return body(Threads.executeBarriers())
        }
    }

    /// Called before a queue is freed.
    @inline(__always)
    static func waitForEnd() {
        if isUnderWay.load(ordering: .relaxed) { wait() }
    }

    @inline(never)
    private static func wait() { lock.withLock { _ in } }
}
