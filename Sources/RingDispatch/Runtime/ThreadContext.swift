internal import CRing
internal import Ring
internal import Synchronization

/// What other threads see of a thread: who it is, and where it sleeps.
///
/// A pointer: it costs no reference counting, and lives as long as the thread.
struct Peer: Equatable, @unchecked Sendable {
    // Safety: the fields are immutable or atomic, and each use is by the thread itself or while the
    // thread waits.
    private let storage: UnsafeMutablePointer<Storage>

    private struct Storage: ~Copyable {
        let identifier: UInt32
        let parker = Parker()
    }

    init(identifier: UInt32) {
        storage = .allocate(capacity: 1)
        storage.initialize(to: Storage(identifier: identifier))
    }

    init(address: UnsafeMutableRawPointer) {
        storage = address.assumingMemoryBound(to: Storage.self)
    }

    func deallocate() {
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    var address: UnsafeMutableRawPointer { UnsafeMutableRawPointer(storage) }

    /// The kernel's thread identifier.
    var identifier: UInt32 { storage.pointee.identifier }

    /// Lets the thread go on, from its `park` or the next one.
    func grant() { storage.pointee.parker.grant() }
    @inline(__always)
    func tryTakeGrant() -> Bool { storage.pointee.parker.tryTake() }
    func park(deadline: UInt64? = nil) -> Bool { storage.pointee.parker.sleep(deadline: deadline) }
}

/// What the runtime keeps for a thread, whether a worker or the program's own.
///
/// Safety: touched by its own thread only; others know its `peer`.
struct ThreadContext: ~Copyable {
    let peer: Peer
    /// The kernel's thread identifier: owner of queues in their state words.
    let identifier: UInt32
    var items = ItemCache()
    /// The innermost queue the thread runs on.
    var frame: UnsafeMutablePointer<Frame>?
    /// The lane that the thread's work goes to: a worker's own, or the last one that a thread of
    /// the program used.
    var lane: Lane?
    /// The lane's lease as this worker set it when it began to run user code; 0 for other threads.
    var lease: UInt64 = 0
    /// The worker that the thread is; nil for threads of the program.
    var worker: Worker?
    /// The worker runs the lane's own code: the lane's run queue is its own.
    var isInLane = false
    /// Sources that are to be watched again once the worker is back in its lane.
    var rearm = RearmList()
    /// Receive buffers that the lane gets back once the worker is in it again.
    var chunks = JobList()
    /// How long a wait is worth spinning for, learned from the waits before.
    var spin = SpinBudget()
    /// Whose news the worker waits for.
    var arrivals = ArrivalPattern()

    /// The thread is inside `concurrentPerform`.
    var isApplying = false

    init(identifier: UInt32) {
        self.identifier = identifier
        peer = Peer(identifier: identifier)
    }
}

typealias Context = UnsafeMutablePointer<ThreadContext>

extension UnsafeMutablePointer where Pointee == ThreadContext {
    /// The calling thread's context, made at first use.
    @inline(__always)
    static var current: Context {
        if let memory = cring_thread_get() {
            return memory.assumingMemoryBound(to: ThreadContext.self)
        }
        return ThreadRegistry.adopt()
    }
}

/// A queue that the thread runs on, linked to the one outside it.
struct Frame {
    let queue: Unmanaged<DispatchQueue>
    let parent: UnsafeMutablePointer<Frame>?
    /// The frame's loop looks at the queue's inbox again before it lets the queue go.
    let isDrain: Bool
    /// Nothing else runs on the queue meanwhile.
    let isExclusive: Bool
}

/// Makes the contexts of threads, and frees them.
enum ThreadRegistry {
    /// Frees a context when its thread ends.
    private static let exitKey = Threads.atExit { memory in
        guard let memory else { return }
        ThreadRegistry.remove(memory.assumingMemoryBound(to: ThreadContext.self))
    }

    /// The process is the child of a fork, and has none of the threads it would need. Written by
    /// its only thread, in fork, and read by that thread, and others that it makes later.
    private static let isForked = Atomic<Bool>(false)

    /// Makes the library unusable in later children, whose workers do not exist and whose rings are
    /// the parent's. Without its context a thread comes to `adopt` at its next call.
    static let trapInForkedChildren: Void = Threads.atForkInChild {
        ThreadRegistry.isForked.store(true, ordering: .relaxed)
        cring_thread_set(nil)
    }

    @inline(never)
    static func adopt() -> Context {
        guard !isForked.load(ordering: .relaxed) else {
            fatalMisuse(
                "use in the child of a fork, which has none of the parent's threads: call exec "
                    + "there, or fork before the first item is submitted")
        }
        let context = Context.allocate(capacity: 1)
        context.initialize(to: ThreadContext(identifier: Threads.currentIdentifier))
        cring_thread_set(context)
        exitKey.set(context)
        return context
    }

    private static func remove(_ context: Context) {
        cring_thread_set(nil)
        context.pointee.peer.deallocate()
        context.pointee.items.empty()
        context.deinitialize(count: 1)
        context.deallocate()
    }
}
