internal import CLinux
internal import LinuxPlatform

/// What the runtime keeps for a thread, whether a worker or the program's own.
///
/// Safety: touched by its own thread only; others know its `peer`.
struct ThreadContext: ~Copyable {
    let threadHandle: ThreadHandle
    /// The kernel's thread identifier: owner of queues in their state words.
    let identifier: UInt32
    var items = ItemCache()
    /// The innermost queue the thread runs on.
    var frame: UnsafeMutablePointer<Frame>?
    /// The loop that the thread's work goes to: a worker's own, or the last one that a thread of
    /// the program used.
    var loop: EventLoop?
    /// The loop's state word as this worker set it when it began to run user code; 0 for other threads.
    var loopState: UInt64 = 0
    /// The worker that the thread is; nil for threads of the program.
    var worker: Worker?
    /// The worker runs the loop's own code: the loop's run queue is its own.
    var isInLoop = false
    /// Sources that are to be watched again once the worker is back in its loop.
    var rearm = RearmList()
    /// Receive buffers that the loop gets back once the worker is in it again.
    var receiveBuffers = WorkItemList()
    /// How long a wait is worth spinning for, learned from the waits before.
    var spin = SpinBudget()
    /// Whose news the worker waits for.
    var arrivals = ArrivalPattern()

    /// The thread is inside `concurrentPerform`.
    var isApplying = false

    init(identifier: UInt32) {
        self.identifier = identifier
        threadHandle = ThreadHandle(identifier: identifier)
    }
}

typealias Context = UnsafeMutablePointer<ThreadContext>

extension UnsafeMutablePointer where Pointee == ThreadContext {
    /// The calling thread's context, made at first use.
    @inline(__always)
    static var current: Context {
        if let memory = clinux_thread_get() {
            return memory.assumingMemoryBound(to: ThreadContext.self)
        }
        return ThreadRegistry.adopt()
    }
}
