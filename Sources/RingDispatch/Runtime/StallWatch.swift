internal import LinuxPlatform
internal import Synchronization

/// Reports handlers that run for long. Off unless the program or its environment asks for it.
///
/// The monitor checks at each of its ticks. While a handler runs that was not reported yet, the
/// process does not count as quiet, so the ticks go on.
enum StallWatch {
    struct Client: Sendable {
        let report: @Sendable (WorkerActivity, _ nanoseconds: UInt64) -> Void
    }

    private static let client = Locked<Client?>(
        Runtime.configuration.stallNanoseconds == 0 ? nil : .log)
    /// Handlers that have run for longer are reported, in nanoseconds; 0: none. Relaxed: a change
    /// holds from one of the next ticks on.
    private static let threshold = Atomic<UInt64>(Runtime.configuration.stallNanoseconds)

    /// - Parameter nanoseconds: 0: no more reports.
    static func report(after nanoseconds: UInt64, to new: Client?) {
        client.withLock { $0 = new }
        threshold.store(nanoseconds, ordering: .relaxed)
    }

    static var isOn: Bool { threshold.load(ordering: .relaxed) != 0 }

    /// Whether a handler runs that was not reported yet.
    static func isNeeded(_ pool: Pool) -> Bool {
        isOn && pool.workerActivities().contains { $0.isInHandler && !$0.worker.isReported }
    }

    /// Part of the monitor's tick.
    @inline(__always)
    static func check(_ pool: Pool, now: UInt64) {
        let threshold = threshold.load(ordering: .relaxed)
        if threshold != 0 { check(pool, now: now, threshold) }
    }

    private static func check(_ pool: Pool, now: UInt64, _ threshold: UInt64) {
        func isLate(_ activity: WorkerActivity) -> Bool {
            activity.isInHandler && !activity.worker.isReported
                && activity.worker.observe(now: now) &+ threshold < now
        }
        guard pool.workerActivities().contains(where: isLate) else { return }
        let client = client.withLock { $0 }
        for activity in pool.workerActivitiesWithQueues() where isLate(activity) {
            activity.worker.noteReported()
            client?.report(activity, now &- activity.worker.observe(now: now))
        }
    }
}
