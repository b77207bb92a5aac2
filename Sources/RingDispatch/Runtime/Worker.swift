internal import LinuxPlatform
internal import Synchronization

/// A thread of the runtime. It serves the loop it holds; when it lost that to a replacement worker while it
/// was stuck in a handler, it waits among the idle workers. Workers never end: the kernel cancels
/// what an ending thread has asked for.
final class Worker: @unchecked Sendable {
    // Safety: `assignment` is handed over by the pool's lock and the parker; the atomics are the
    // monitor's view of the thread.
    let index: UInt64
    unowned(unsafe) let pool: Pool
    /// Where the worker is called to next.
    var assignment: Assignment?
    let identifier = Atomic<UInt32>(0)
    /// The thread's peer, as an address, once it runs.
    private let threadHandle = Atomic<UInt>(0)

    struct Assignment {
        let loop: EventLoop
        let expecting: LoopState
    }

    init(index: UInt64, pool: Pool, assignment: Assignment) {
        self.index = index
        self.pool = pool
        self.assignment = assignment
    }

    func start() throws(SystemError) {
        try Threads.start { self.run() }
    }

    /// Wakes a idle worker for its new assignment.
    func call() {
        let address = UnsafeMutableRawPointer(bitPattern: threadHandle.load(ordering: .acquiring))
        guard let address else { return }
        ThreadHandle(address: address).grant()
    }

    private func run() {
        let context = Context.current
        context.pointee.worker = self
        identifier.store(context.pointee.identifier, ordering: .relaxed)
        threadHandle.store(
            UInt(bitPattern: context.pointee.threadHandle.address), ordering: .releasing)
        Threads.useFineTimers()
        if pool.isBackground { Threads.useBackgroundPriority() }
        Threads.setName("ring-\(pool.isBackground ? "bg-" : "")\(index)")
        while true {
            if let assignment {
                self.assignment = nil
                let taken = LoopState(.running, worker: index, turn: assignment.expecting.turn &+ 1)
                if assignment.loop.exchangeState(assignment.expecting, for: taken) {
                    context.pointee.loop = assignment.loop
                    context.pointee.loopState = taken.word
                    if assignment.expecting.phase == .assigned {
                        assignment.loop.setSleeping(false)
                        pool.noteIdle(-1)
                    }
                    serve(assignment.loop, context)
                }
            }
            pool.becomeIdle(self)
            _ = context.pointee.threadHandle.park()
        }
    }
}
