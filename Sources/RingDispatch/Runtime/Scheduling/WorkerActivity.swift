/// What a worker does, for `DispatchRuntime` and `StallWatch`.
struct WorkerActivity: Sendable {
    let worker: Worker
    let thread: UInt32
    /// That of the loop that it holds; without one, `inHandler` or `idle`.
    let phase: LoopState.Phase
    /// The index of the loop that it holds.
    let loop: Int?
    /// The number of its item, and since when that has run, in nanoseconds; nil: it runs none.
    let item: (number: UInt64, start: UInt64)?
    /// The label of the innermost queue that it runs on.
    let queue: String?
}

extension Pool {
    /// What each worker does. Takes the lock of the workers.
    /// - Parameter mayReadQueues: as `QueueInspection.inspect` says.
    func workerActivities(now: UInt64, mayReadQueues: Bool = false) -> [WorkerActivity] {
        let states = loops.map(\.loopState)
        return workers.map { worker in
            guard let handle = worker.handle else { return nil }
            let loop = states.firstIndex { $0.worker == worker.index }
            // In this order: see `withFrame`.
            let hasQueue = handle.announcedQueue != nil
            let number = handle.item
            let phase = loop.map { states[$0].phase } ?? (hasQueue ? .inHandler : .idle)
            let isRunning = hasQueue && (phase == .inHandler || phase == .stealing)
            return WorkerActivity(
                worker: worker, thread: handle.identifier, phase: phase, loop: loop,
                item: isRunning ? (number, worker.observe(number, now: now)) : nil,
                queue: isRunning && mayReadQueues
                    ? handle.announcedQueue.map { QueueLayer.label($0) } : nil)
        }
    }
}
