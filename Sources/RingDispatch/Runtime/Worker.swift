internal import LinuxPlatform
internal import Synchronization

/// A thread of the runtime. It serves the loop that it holds. After another worker has taken that
/// loop over, it joins the idle workers. Workers never end, because the kernel cancels the pending
/// requests of a thread that ends.
final class Worker: @unchecked Sendable {
    // Safety: the pool's lock and the parker hand `assignment` over; the atomics are for other
    // threads.
    let index: UInt64
    unowned(unsafe) let pool: Pool
    /// The next loop to serve.
    var assignment: Assignment?
    let identifier = Atomic<UInt32>(0)
    /// The address of the thread's `ThreadHandle`, once it runs.
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

    /// Wakes an idle worker for its new assignment.
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
