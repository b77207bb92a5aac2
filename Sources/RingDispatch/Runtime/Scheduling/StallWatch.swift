internal import LinuxPlatform
internal import Synchronization

/// Reports handlers that run for long. Off unless the program or its environment asks for it.
///
/// The monitor checks at each of its ticks. While a handler runs that was not reported yet, the
/// process does not count as quiet, so the ticks go on.
enum StallWatch {
    typealias Client = @Sendable (DispatchRuntime.Stall) -> Void

    /// Writes to standard error, on a thread of its own: if that blocks, the monitor goes on.
    static let log: Client = { stall in try? Threads.start { Diagnostics.log("\(stall)") } }

    private static let client = Locked<Client?>(
        Runtime.shared.configuration.stallNanoseconds == 0 ? nil : log)
    /// Handlers that have run for longer are reported, in nanoseconds; 0: none. Relaxed: a change
    /// holds from one of the next ticks on.
    private static let threshold = Atomic<UInt64>(Runtime.shared.configuration.stallNanoseconds)

    /// - Parameter nanoseconds: 0: no more reports.
    /// - Returns: the former client.
    static func report(after nanoseconds: UInt64, to new: Client?) -> Client? {
        let old = client.withLock { exchange(&$0, with: new) }
        threshold.store(nanoseconds, ordering: .relaxed)
        // A handler may stay already, in a quiet process.
        Runtime.shared.pool.monitor.noteActivity()
        Runtime.shared.backgroundPoolIfUsed?.monitor.noteActivity()
        return old
    }

    static var isOn: Bool { threshold.load(ordering: .relaxed) != 0 }

    /// Whether a handler runs that was not reported yet.
    static func isNeeded(_ pool: Pool) -> Bool {
        isOn
            && pool.workerActivities(now: MonotonicClock.nanoseconds()).contains {
                $0.unreportedItem != nil
            }
    }

    /// Part of the monitor's tick.
    @inline(__always)
    static func check(_ pool: Pool, now: UInt64) {
        let threshold = threshold.load(ordering: .relaxed)
        if threshold != 0, now > threshold { check(pool, now: now, limit: now - threshold) }
    }

    private static func check(_ pool: Pool, now: UInt64, limit: UInt64) {
        func isLate(_ activity: WorkerActivity) -> Bool {
            activity.unreportedItem.map { $0.start < limit } ?? false
        }
        guard pool.workerActivities(now: now).contains(where: isLate) else { return }
        let client = client.withLock { $0 }
        let activities = QueueInspection.inspect {
            pool.workerActivities(now: now, mayReadQueues: $0)
        }
        for activity in activities where isLate(activity) {
            guard let item = activity.item else { continue }
            activity.worker.reportedItem.store(item.number, ordering: .relaxed)
            client?(DispatchRuntime.Stall(activity, now - item.start))
        }
    }
}

extension WorkerActivity {
    fileprivate var unreportedItem: (number: UInt64, start: UInt64)? {
        item.flatMap { worker.reportedItem.load(ordering: .relaxed) == $0.number ? nil : $0 }
    }
}
