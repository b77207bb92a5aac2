internal import CLinux
internal import LinuxPlatform

/// The runtime's data for a thread, whether a worker or a thread of the program.
///
/// Safety: only the thread itself touches it; other threads have its `threadHandle`.
struct ThreadContext: ~Copyable {
    let threadHandle: ThreadHandle
    /// The kernel's thread identifier, which marks the owner in the state words of queues.
    let identifier: UInt32
    var items = ItemCache()
    /// The innermost queue that the thread is running on.
    var frame: UnsafeMutablePointer<Frame>?
    /// The loop that receives the thread's work: a worker's own, or the last one that a thread of
    /// the program used.
    var loop: EventLoop?
    /// The state with which the worker took its loop or entered a handler; 0 for other threads.
    var loopState: UInt64 = 0
    /// The thread's worker; nil for threads of the program.
    var worker: Worker?
    /// The worker runs the loop's own code, and may touch the run queue.
    var isInLoop = false
    /// See `ReceiveMemory`; nil while it is in use, or before the first use.
    var receiveMemory: UnsafeMutableRawPointer?
    /// How long to spin before a sleep, learned from earlier waits.
    var spin = SpinBudget()
    /// The senders of the events that the worker waits for.
    var arrivals = ArrivalPattern()

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

    /// An item begins on the thread.
    @inline(__always)
    func beginItem() {
        pointee.threadHandle.noteItem()
        if !holdsLoop { pointee.worker?.observeItem(self) }
    }

    /// Whether the thread is a worker that still has its loop.
    @inline(__always)
    var holdsLoop: Bool { pointee.loop?.isHeld(by: self) ?? false }
}
