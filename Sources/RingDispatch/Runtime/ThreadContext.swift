internal import CRing
internal import Ring
internal import Synchronization

/// What the runtime keeps for a thread, whether a worker or the program's own.
///
/// Safety: all fields but `parker` and `waitingFor` are touched by their own thread only.
struct ThreadContext: ~Copyable {
    /// The kernel's thread identifier: owner of queues in their state words.
    let identifier: UInt32
    var jobs = JobCache()
    /// The innermost queue the thread runs on.
    var frame: UnsafeMutablePointer<Frame>?
    /// Where the thread sleeps.
    let parker = Parker()
    /// The queue whose `sync` the thread waits in, as an address: for the search of deadlocks.
    /// Written by the thread itself (releasing), read by others that are about to wait.
    let waitingFor = Atomic<UInt>(0)
    /// The lane that the thread's work goes to: a worker's own, or the last one that a thread of
    /// the program used.
    var lane: Lane?
    /// The lane's lease as this worker set it when it began to run user code; 0 for other threads.
    var lease: UInt64 = 0
    /// The worker that the thread is; nil for threads of the program.
    var worker: Worker?
    /// Sources that are to be watched again once the worker is back in its lane.
    var rearm: [DescriptorWatch] = []
    /// How long a wait is worth spinning for, learned from the waits before.
    var spin = SpinBudget()

    /// The thread is inside `concurrentPerform`.
    var isApplying = false

    init(identifier: UInt32) {
        self.identifier = identifier
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

/// All threads that have a context, so that a wait can find out whom it waits for.
enum ThreadRegistry {
    private struct Table: @unchecked Sendable {
        // Safety: contexts leave the table before their memory is freed.
        var contexts: [UInt32: Context] = [:]
    }

    private static let table = Mutex(Table())

    /// Frees a context when its thread ends.
    private static let exitKey = Threads.atExit { memory in
        guard let memory else { return }
        let context = memory.assumingMemoryBound(to: ThreadContext.self)
        ThreadRegistry.remove(context)
    }

    @inline(never)
    static func adopt() -> Context {
        let context = Context.allocate(capacity: 1)
        context.initialize(to: ThreadContext(identifier: Threads.currentIdentifier))
        cring_thread_set(context)
        exitKey.set(context)
        let entry = Entry(context: context)
        table.withLock { $0.contexts[entry.context.pointee.identifier] = entry.context }
        return context
    }

    private static func remove(_ context: Context) {
        let entry = Entry(context: context)
        table.withLock { table in
            if table.contexts[entry.context.pointee.identifier] == entry.context {
                table.contexts[entry.context.pointee.identifier] = nil
            }
        }
        cring_thread_set(nil)
        context.pointee.jobs.empty()
        context.deinitialize(count: 1)
        context.deallocate()
    }

    /// The address of the queue that a thread waits for in `sync`, or 0.
    static func queueAwaited(by identifier: UInt32) -> UInt {
        table.withLock { table in
            table.contexts[identifier]?.pointee.waitingFor.load(ordering: .acquiring) ?? 0
        }
    }

    private struct Entry: @unchecked Sendable {
        // Safety: used inside the table's lock only.
        let context: Context
    }
}
