internal import LinuxPlatform
internal import Synchronization

/// What the runtime behind all queues is doing now, for debugging a live process.
/// RingDispatch's own; libdispatch has nothing like it.
public enum DispatchRuntime {
    /// What one loop is doing. A loop is an instance of io_uring, or an epoll set, with its own run
    /// queue and timers; one worker thread at a time serves it.
    public struct EventLoop: Sendable {
        /// Whether the loop serves the background class only.
        public let isBackground: Bool
        /// Its number among the loops of its kind.
        public let index: Int
        public let activity: Activity
        /// The kernel's identifier of the thread that serves the loop; nil: none does.
        public let thread: Int32?
        /// Queues, sources and blocks of global queues that are ready to run.
        public let workItemsWaiting: Int
        /// Timers that are set, of sources and of `asyncAfter`.
        public let timers: Int
        /// Read and write sources that the kernel watches.
        public let watches: Int
        /// Reads and writes of files that the kernel carries out.
        public let operations: Int
    }

    public enum Activity: String, Sendable {
        /// No thread serves the loop, and nothing waits for one.
        case idle
        /// The thread sleeps until the kernel has news.
        case sleeping
        /// The thread takes in events and timers.
        case serving
        /// The thread runs a handler or an item; another takes the loop over if it stays there.
        case running
    }

    /// The state of the runtime at about one moment: threads go on while it is put together, so
    /// that figures need not add up.
    public struct Snapshot: Sendable {
        /// `io_uring` or `epoll`.
        public let backend: String
        /// Why it is that one.
        public let backendReason: String
        public let loops: [EventLoop]
        /// Worker threads that exist. Workers never end.
        public let workers: Int
        /// Those of them that wait to be called to a loop.
        public let idleWorkers: Int
        /// Worker threads there may be of each kind, ordinary and background
        /// (`RINGDISPATCH_WORKERS`).
        public let workerLimit: Int
        /// Sources of all kinds that exist.
        public let sources: Int
        /// `DispatchIO` channels that exist, and convenience reads and writes.
        public let channels: Int
        /// Reads and writes of channels whose handler has not returned from its last call.
        public let channelOperations: Int

        public var workItemsWaiting: Int { loops.reduce(0) { $0 + $1.workItemsWaiting } }
        public var timers: Int { loops.reduce(0) { $0 + $1.timers } }
        public var watches: Int { loops.reduce(0) { $0 + $1.watches } }
        public var operations: Int { loops.reduce(0) { $0 + $1.operations } }
    }

    /// Looks at the runtime, and starts it if nothing has used it yet. From any thread; it takes a
    /// few locks for moments.
    public static func snapshot() -> Snapshot {
        let pools = [Runtime.pool] + (Runtime.backgroundPoolIfUsed.map { [$0] } ?? [])
        let counts = pools.map { $0.workerCounts }
        return Snapshot(
            backend: Runtime.backend.rawValue, backendReason: Runtime.backendReason,
            loops: pools.flatMap { pool in pool.loops.map { $0.snapshot(of: pool) } },
            workers: counts.reduce(0) { $0 + $1.all },
            idleWorkers: counts.reduce(0) { $0 + $1.idle },
            workerLimit: Runtime.configuration.workers, sources: SourceCore.count,
            channels: IOStatistics.channels, channelOperations: IOStatistics.operations)
    }
}

extension DispatchRuntime.Snapshot: CustomStringConvertible {
    /// Several lines of text.
    public var description: String {
        let head = """
            \(backend) back end (\(backendReason)): \(workers) workers, \(idleWorkers) of them \
            spare, at most \(workerLimit) of a kind; \(sources) sources; \(channels) channels with \
            \(channelOperations) operations
            """
        return ([head] + loops.map { "  \($0)" }).joined(separator: "\n")
    }
}

extension DispatchRuntime.EventLoop: CustomStringConvertible {
    public var description: String {
        let name = isBackground ? "background event loop" : "loop"
        let server = thread.map { " on thread \($0)" } ?? ""
        return "\(name) \(index): \(activity)\(server), \(workItemsWaiting) work items waiting, "
            + "\(timers) timers, \(watches) watches, \(operations) operations"
    }
}

extension EventLoop {
    fileprivate func snapshot(of pool: Pool) -> DispatchRuntime.EventLoop {
        let loopState = self.loopState
        let activity: DispatchRuntime.Activity =
            switch loopState.phase {
            case .idle, .assigned: .idle
            case .parked: .sleeping
            case .running, .woken: .serving
            case .inHandler, .stealing: .running
            }
        let identifier = pool.worker(loopState.worker)?.identifier.load(ordering: .relaxed)
        return DispatchRuntime.EventLoop(
            isBackground: isBackground, index: index, activity: activity,
            thread: activity == .idle ? nil : identifier.map { Int32(bitPattern: $0) },
            workItemsWaiting: waiting + (inboxIsEmpty ? 0 : 1), timers: timers.count,
            watches: registrationsInFlight, operations: operationsInFlight)
    }
}
