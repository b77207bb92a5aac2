internal import LinuxPlatform
internal import Synchronization

extension DispatchRuntime {
    /// The state of an event loop: an epoll set, a run queue and timers, served by one
    /// worker at a time.
    public struct EventLoop: Sendable {
        /// Whether the loop serves only the background class.
        public let isBackground: Bool
        /// The index among loops of the same kind.
        public let index: Int
        /// What the worker of the loop was doing when the snapshot passed it.
        public let activity: Activity
        /// The thread that serves the loop, by the kernel's ID; nil if there is none.
        public let thread: Int32?
        /// Queues, sources and blocks of global queues that are ready to run.
        public let workItemsWaiting: Int
        /// Pending timers, of sources and of `asyncAfter`.
        public let timers: Int
        /// Connections, listeners and armed sources whose descriptors the loop watches.
        public let registrations: Int
        /// Short sends of connections that waited for others of the loop. 0 without io_uring.
        public let batchedSends: Int
        /// The system calls that passed these sends to the kernel.
        public let sendBatches: Int
    }

    /// What a worker does, or that a loop has none.
    public enum Activity: String, Sendable {
        /// No thread serves the loop.
        case idle
        /// The worker sleeps until an event arrives.
        case sleeping
        /// The worker collects events and timers.
        case serving
        /// The worker runs a handler or an item; if it stays, another worker takes the loop over.
        case running

        init(_ phase: LoopState.Phase) {
            self =
                switch phase {
                case .idle, .assigned: .idle
                case .parked: .sleeping
                case .running, .woken: .serving
                case .inHandler, .stealing: .running
                }
        }
    }

    /// An approximate state: threads continue while it is collected, so figures need not add up.
    public struct Snapshot: Sendable {
        /// `io_uring` or `epoll`.
        public let backend: String
        /// Why this back end was chosen.
        public let backendReason: String
        /// All event loops: those of ordinary queues, and those of the background class once it is
        /// used.
        public let loops: [EventLoop]
        /// What each worker thread does.
        public let workerThreads: [WorkerThread]
        /// Existing worker threads. One that was idle for half a second ends, unless few are left.
        public let workers: Int
        /// Workers that are not assigned to a loop.
        public let idleWorkers: Int
        /// Work items that wait for a worker without a loop: those of handlers that keep blocking,
        /// and those that waited behind several that blocked.
        public let workItemsAway: Int
        /// How often a loop was given to another worker because a handler stayed.
        public let takeOvers: Int
        /// How often an idle loop took work from another loop whose handler stayed.
        public let steals: Int
        /// How often a thread woke a worker that slept in its loop. Events do not count.
        public let wakeUps: Int
        /// How often a worker's sleep ended more than 50 ms after its time. The machine has not
        /// enough CPU then, or its kernel is at fault.
        public let lateWakeUps: Int
        /// The maximum number of workers of each kind, ordinary and background
        /// (`RINGDISPATCH_WORKERS`).
        public let workerLimit: Int
        /// Existing sources of all kinds.
        public let sources: Int
        /// Existing `DispatchIO` channels, and convenience reads and writes.
        public let channels: Int
        /// Reads and writes of channels whose handler has not returned from its last call.
        public let channelOperations: Int
        /// Requests of channels' files in flight in the kernel.
        public let operations: Int

        /// Ready work items of all loops, without those that are away.
        public var workItemsWaiting: Int { loops.reduce(0) { $0 + $1.workItemsWaiting } }
        /// Pending timers of all loops.
        public var timers: Int { loops.reduce(0) { $0 + $1.timers } }
        /// Descriptors that all loops watch.
        public var registrations: Int { loops.reduce(0) { $0 + $1.registrations } }
    }

    /// Collects the state, and starts the runtime if necessary. Call it from any thread; it briefly
    /// takes a few locks.
    public static func snapshot() -> Snapshot {
        let pools = [Runtime.shared.pool] + (Runtime.shared.backgroundPoolIfUsed.map { [$0] } ?? [])
        let counts = pools.map { $0.workers.counts }
        func sum(_ count: (Pool) -> Int) -> Int { pools.reduce(0) { $0 + count($1) } }
        return Snapshot(
            backend: Runtime.shared.backend.kind.rawValue,
            backendReason: Runtime.shared.backend.reason,
            loops: pools.flatMap { pool in pool.loops.map { $0.snapshot(of: pool) } },
            workerThreads: pools.flatMap { WorkerThread.all(of: $0) },
            workers: counts.reduce(0) { $0 + $1.all },
            idleWorkers: counts.reduce(0) { $0 + $1.idle },
            workItemsAway: sum { $0.away.waiting },
            takeOvers: sum { $0.counters.takeOvers.load(ordering: .relaxed) },
            steals: sum { $0.counters.steals.load(ordering: .relaxed) },
            wakeUps: sum { $0.counters.wakeUps.load(ordering: .relaxed) },
            lateWakeUps: sum { $0.counters.lateWakeUps.load(ordering: .relaxed) },
            workerLimit: Runtime.shared.configuration.workers, sources: SourceCore.count,
            channels: IOStatistics.channels, channelOperations: IOStatistics.operations,
            operations: FileOperation.inFlight.load(ordering: .relaxed))
    }
}

extension DispatchRuntime.Snapshot: CustomStringConvertible {
    public var description: String {
        let head = """
            \(backend) back end (\(backendReason)): \(workers) workers, \(idleWorkers) of them \
            idle, at most \(workerLimit) of a kind; \(workItemsAway) work items away, \
            \(takeOvers) take-overs, \(steals) steals, \(wakeUps) wake-ups, \(lateWakeUps) late \
            wake-ups; \(sources) sources; \(channels) channels with \
            \(channelOperations) operations; \(operations) file requests in flight
            """
        let busy = workerThreads.filter { $0.activity != .idle && $0.activity != .sleeping }
        let lines = loops.map { "  \($0)" } + busy.map { "  \($0)" }
        return ([head] + lines).joined(separator: "\n")
    }
}

extension DispatchRuntime.EventLoop: CustomStringConvertible {
    public var description: String {
        let name = isBackground ? "background event loop" : "event loop"
        let server = thread.map { " on thread \($0)" } ?? ""
        return "\(name) \(index): \(activity)\(server), \(workItemsWaiting) work items waiting, "
            + "\(timers) timers, \(registrations) registrations, \(batchedSends) sends in "
            + "\(sendBatches) batches"
    }
}

extension EventLoop {
    fileprivate func snapshot(of pool: Pool) -> DispatchRuntime.EventLoop {
        let loopState = self.loopState
        let activity = DispatchRuntime.Activity(loopState.phase)
        let batch = output?.takeUnretainedValue()
        let identifier = pool.workers.with(loopState.worker) { $0.handle?.identifier }
        return DispatchRuntime.EventLoop(
            isBackground: pool.isBackground, index: index, activity: activity,
            thread: activity == .idle ? nil : identifier.map { Int32(bitPattern: $0) },
            workItemsWaiting: waiting + (inboxIsEmpty ? 0 : 1), timers: timers.count,
            registrations: readiness.count,
            batchedSends: batch?.sends.load(ordering: .relaxed) ?? 0,
            sendBatches: batch?.submissions.load(ordering: .relaxed) ?? 0)
    }
}
