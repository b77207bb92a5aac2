internal import CLinux

/// The runtime's data for a thread, whether a worker or a thread of the program.
///
/// The layers above add what they know: extensions give the addresses their types.
///
/// Safety: only the thread itself touches it; other threads have its `threadHandle`.
struct ThreadContext: ~Copyable {
    let threadHandle: ThreadHandle
    /// The kernel's thread identifier, which marks the owner in the state words of queues.
    let identifier: UInt32
    var items = ItemCache()
    /// See `Frame`.
    var frameAddress: UnsafeMutableRawPointer?
    /// See `loop`.
    var loopAddress: UnsafeMutableRawPointer?
    /// The state with which the worker took its loop or entered a handler; 0 for other threads.
    var loopState: UInt64 = 0
    /// See `worker`.
    var workerAddress: UnsafeMutableRawPointer?
    /// The worker runs the loop's own code, and may touch the run queue.
    var isInLoop = false
    /// The free blocks that the thread keeps for `ThreadMemory`, and the number of those in use.
    var memory = FreeList()
    var memoryInUse = 0
    /// How long to spin before a sleep, learned from earlier waits.
    var spin = SpinBudget()
    /// Whether the worker's last sleep was long: the next one probably is, too.
    var hasSleptLong = false
    /// The senders of the events that the worker waits for.
    var arrivals = ArrivalPattern()
    /// The executor whose task `QueueExecutor.resume` resumes, and the task's next part.
    var resuming: UnsafeMutableRawPointer?
    var resumed: UnownedJob?
    /// Where the thread records what it does; nil until it first does.
    var traceBuffer: Unmanaged<Trace.Buffer>?

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
