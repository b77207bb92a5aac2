internal import LinuxPlatform
internal import Synchronization

/// Lets a thread read the queues that other threads run on, which may be freed at any moment.
///
/// Each thread announces its innermost queue (`ThreadHandle.announce`, releasing) before it runs
/// there, and withdraws it before it releases the queue. A queue's `deinit` checks `isUnderWay`.
/// Store-then-check: the thread withdraws the queue, then loads `isUnderWay`; the inspector stores
/// `isUnderWay`, then loads the announced queue (acquiring). Both sides need a barrier between
/// their two accesses. Threads run on queues far more often than anybody inspects them, so the
/// inspector makes all threads execute a barrier (membarrier(2)) between its own two.
enum QueueInspection {
    private static let isUnderWay = Atomic<Bool>(false)
    private static let lock = Locked<Void>(())

    private static let isAvailable = Threads.executeBarriers()

    /// The child of a fork has only one thread, which inspects nothing.
    static func endInForkedChild() { isUnderWay.store(false, ordering: .relaxed) }

    /// Runs a body, during which no announced queue is freed. The body gets false where this is not
    /// possible; then it must not read announced queues.
    static func inspect<Result>(_ body: (_ mayRead: Bool) -> sending Result) -> sending Result {
        // The first call takes milliseconds, so it is made without the lock.
        _ = isAvailable
        return lock.withLock { _ in
            isUnderWay.store(true, ordering: .sequentiallyConsistent)
            defer { isUnderWay.store(false, ordering: .sequentiallyConsistent) }
            return body(Threads.executeBarriers())
        }
    }

    /// Called before a queue is freed.
    @inline(__always)
    static func waitForEnd() {
        if isUnderWay.load(ordering: .acquiring) { wait() }
    }

    @inline(never)
    private static func wait() { lock.withLock { _ in } }
}
