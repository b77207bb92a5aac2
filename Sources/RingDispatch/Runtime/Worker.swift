internal import Ring
internal import Synchronization

/// A thread of the runtime. It serves the lane it holds; when it lost that to a stand-in while it
/// was stuck in a handler, it waits among the spare workers. Workers never end: the kernel cancels
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
    private let peer = Atomic<UInt>(0)

    struct Assignment {
        let lane: Lane
        let expecting: Lease
    }

    init(index: UInt64, pool: Pool, assignment: Assignment) {
        self.index = index
        self.pool = pool
        self.assignment = assignment
    }

    func start() throws(KernelError) {
        try Threads.start { self.run() }
    }

    /// Wakes a spare worker for its new assignment.
    func call() {
        let address = UnsafeMutableRawPointer(bitPattern: peer.load(ordering: .acquiring))
        guard let address else { return }
        Peer(address: address).grant()
    }

    private func run() {
        let context = Context.current
        context.pointee.worker = self
        identifier.store(context.pointee.identifier, ordering: .relaxed)
        peer.store(UInt(bitPattern: context.pointee.peer.address), ordering: .releasing)
        Threads.useFineTimers()
        if pool.isBackground { Threads.useBackgroundPriority() }
        Threads.setName("ring-\(pool.isBackground ? "bg-" : "")\(index)")
        while true {
            if let assignment {
                self.assignment = nil
                let taken = Lease(.lane, worker: index, turn: assignment.expecting.turn &+ 1)
                if assignment.lane.exchangeLease(assignment.expecting, for: taken) {
                    context.pointee.lane = assignment.lane
                    context.pointee.lease = taken.word
                    if assignment.expecting.phase == .called {
                        assignment.lane.setSleeping(false)
                        pool.noteIdle(-1)
                    }
                    serve(assignment.lane, context)
                }
            }
            pool.becomeSpare(self)
            _ = context.pointee.peer.park()
        }
    }
}
