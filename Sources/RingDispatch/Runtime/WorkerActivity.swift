internal import LinuxPlatform

/// What a worker does, for `DispatchRuntime` and `StallWatch`.
struct WorkerActivity: Sendable {
    let worker: Worker
    let thread: UInt32
    /// That of the loop that it holds; without one, `inHandler` or `idle`.
    let phase: LoopState.Phase
    /// The index of the loop that it holds.
    let loop: Int?
    /// The label of the innermost queue that it runs on.
    var queue: String?

    var isInHandler: Bool { phase == .inHandler || phase == .stealing }
}

extension Pool {
    /// What each worker does. Takes the lock of the workers.
    /// - Parameter mayReadQueues: for `QueueInspection.inspect`: whether to read the labels.
    func workerActivities(mayReadQueues: Bool = false) -> [WorkerActivity] {
        withWorkers { all, idle in
            all.compactMap { worker in
                guard let handle = worker.handle else { return nil }
                let held = loops.first { $0.loopState.worker == worker.index }
                let isIdle = idle.contains { $0 === worker }
                var activity = WorkerActivity(
                    worker: worker, thread: handle.identifier,
                    phase: held?.loopState.phase ?? (isIdle ? .idle : .inHandler),
                    loop: held?.index)
                if mayReadQueues && activity.isInHandler { activity.queue = handle.queueLabel }
                return activity
            }
        }
    }

    /// The same with the labels of queues, if the kernel lets them be read.
    func workerActivitiesWithQueues() -> [WorkerActivity] {
        QueueInspection.inspect { workerActivities(mayReadQueues: $0) }
    }
}

extension ThreadHandle {
    /// The label of the announced queue. Call it in `QueueInspection.inspect` only.
    fileprivate var queueLabel: String? {
        announcedQueue.map {
            Unmanaged<DispatchQueue>.fromOpaque($0)._withUnsafeGuaranteedRef { $0.label }
        }
    }
}
