internal import LinuxPlatform

extension DispatchRuntime {
    /// What a worker thread does.
    public struct WorkerThread: Sendable {
        /// The kernel's ID of the thread.
        public let thread: Int32
        /// Whether it serves the background class only.
        public let isBackground: Bool
        /// What the thread was doing when the snapshot passed it.
        public let activity: Activity
        /// The index of the event loop that the worker serves. Nil: the worker is idle, or another
        /// one has taken its loop over, or it runs work of queues that keep blocking.
        public let loop: Int?
        /// The label of the queue whose handler or item runs. Nil also where the kernel does not
        /// let the runtime find out safely (membarrier(2)).
        public let queue: String?
        /// For how long the handler has run, in nanoseconds, since the runtime or a snapshot first
        /// saw it. Nil if none runs.
        public let handlerNanoseconds: UInt64?

        static func all(of pool: Pool) -> [WorkerThread] {
            let now = MonotonicClock.nanoseconds()
            return QueueInspection.inspect { mayReadQueues in
                pool.workerActivities(now: now, mayReadQueues: mayReadQueues)
            }.map { WorkerThread($0, isBackground: pool.isBackground, now: now) }
        }

        private init(_ activity: WorkerActivity, isBackground: Bool, now: UInt64) {
            thread = Int32(bitPattern: activity.thread)
            self.isBackground = isBackground
            loop = activity.loop
            queue = activity.queue
            self.activity = Activity(activity.phase)
            handlerNanoseconds = activity.item.map { now - $0.start }
        }
    }
}

extension DispatchRuntime.WorkerThread: CustomStringConvertible {
    public var description: String {
        let name = isBackground ? "background thread" : "thread"
        let place = loop.map { " in event loop \($0)" } ?? ""
        let queue = queue.map { " queue '\($0)'" } ?? ""
        let time = handlerNanoseconds.map { " for \($0 / 1_000_000) ms" } ?? ""
        return "\(name) \(thread): \(activity)\(queue)\(place)\(time)"
    }
}
