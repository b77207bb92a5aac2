internal import LinuxPlatform

/// The numbers of the scheduler that somebody chose. Each says what it trades. The benchmark after
/// it is the one to run when you change it: rows of `micro-ring`, or scenarios of `compare.sh`; see
/// Benchmarks/README.md.
///
/// Times are in nanoseconds, or in ticks (`Ticks`) where their name says so.
enum Tuning {
    // MARK: noticing handlers that stay (`compare.sh blocked`, `quiet`)

    /// How often the monitor samples the loops while one is in use. Shorter: a blocked handler
    /// holds its loop up for less time, and a busy process wakes up more often.
    static let tick: UInt64 = 1_000_000
    /// The same after a tick that called a worker, for `quickTicks` ticks: where one handler
    /// blocks, the next one often does, too.
    static let quickTick: UInt64 = 100_000
    static let quickTicks = 4
    /// When the first sample follows once workers have stopped the timer `quietStops` times in a
    /// row before it expired. The kernel's own tick usually comes every 4 ms or more often on a CPU
    /// that is in use, so that the hardware timer need not be set for a later time. In a virtual
    /// machine, setting it takes about 5 µs. Shorter: each event of a quiet process costs more.
    /// Longer: its first handler that blocks holds its loop up for longer.
    static let quietTick: UInt64 = 4_000_000
    static let quietStops = 16
    /// CPU time since a handler's first sample from which on it computes, rather than blocks.
    static let computing: UInt64 = 500_000
    /// With more than twice as many workers as loops, a computing handler is replaced only every so
    /// many ticks: more threads than CPUs do not compute faster.
    static let ticksBetweenComputing = 8
    /// A loop that slept longer than this before its last event will probably do so again, and lets
    /// the monitor sleep. Shorter: more calls of timerfd_settime(2).
    static let longSleepTicks = 250 * Ticks.perMicrosecond

    // MARK: work away from the loops (`compare.sh blocked`)

    /// The most away workers that are not known to block: at first, and at most.
    static let fewestAwayWorkers = CPUCount.usable
    static let mostAwayWorkers = 64
    /// A queue returns to the loops after so many drains in a row that blocked for less than
    /// `shortBlock` an item. Fewer: a queue that blocks now and then holds loops up more often.
    static let drainsToReturn: UInt8 = 32
    static let shortBlock: UInt64 = 500_000
    /// How long an idle worker waits before it ends. Shorter: threads are made more often. Longer:
    /// the threads and the memory of handlers that blocked at once stay.
    static let idleWorkerPatience: UInt64 = 500_000_000
    /// When no thread can be made, the next attempt follows after this time. Shorter: more failing
    /// calls while the process is at its limit.
    static let threadRetry: UInt64 = 1_000_000
    /// The same for a ring, and for the descriptors of the background class's loops.
    static let ringRetry: UInt64 = 60_000_000_000
    /// A sleep that ends this much after its time counts as late.
    static let lateness: UInt64 = 50_000_000

    // MARK: order and fairness (`async-global-fan-out`, `async-1000-queues`, `async-self-chain`)

    /// Work items of the most urgent class between two items of less urgent ones. More: a flood of
    /// urgent work slows the rest down further.
    static let urgentRun = 32
    /// Work items between two polls of timers and events of a busy loop, and the least time between
    /// two fetches of events. More: events wait longer, and cost fewer system calls.
    static let workItemsBetweenPolls = 32
    static let ticksBetweenFetches = 1_000 * Ticks.perMicrosecond
    /// For how long one queue is drained before others get their turn, checked every so many items.
    static let drainTicks = 200 * Ticks.perMicrosecond
    static let itemsBetweenChecks = 8

    // MARK: helping and stealing (`async-global-fan-out`, `concurrent-perform`)

    /// The least time between two wake-ups of a helper. It doubles while helpers find nothing.
    static let shortestHelpTicks = 50 * Ticks.perMicrosecond
    static let longestHelpTicks = 20_000 * Ticks.perMicrosecond
    /// A helper that has not ended after this time counts as lost.
    static let lostHelpTicks = 500 * Ticks.perMicrosecond
    /// How long the handler of another loop must have run before that loop's last work item is
    /// stolen: it may end at any moment.
    static let stuckTicks = 20 * Ticks.perMicrosecond

    // MARK: spinning before a sleep (`async-ping-pong`, `async-and-wait`, `compare.sh echo`)

    /// The first spin, the longest and the shortest one. A sleep and its wake-up cost 5 to 20 µs.
    static let firstSpinTicks = 10 * Ticks.perMicrosecond
    static let longestSpinTicks = 40 * Ticks.perMicrosecond
    static let shortestSpinTicks = Ticks.perMicrosecond / 4
    /// Events of the last two senders after which a loop expects the next one from them, the most
    /// that count, and how many an event of another sender takes away.
    static let familiar = 8
    static let mostFamiliar = 16
    static let unfamiliarPenalty = 4

    // MARK: connections (`compare.sh echo`)

    /// Sends up to this length join a batch: 4 KiB, and the frame of a TLS record. Copying longer
    /// ones costs more than a system call.
    static let longestBatchedSend = 4096 + 64
    /// The most that is in a batch. A connection whose bound for unsent bytes is lower batches
    /// nothing.
    static let batchBytes = 256 * 1024
    /// The age at which a batch leaves although the loop has work. The first answer of a batch
    /// waits this long for the last one.
    static let batchTicks = 100 * Ticks.perMicrosecond
    /// After a handler that took longer, a connection sends at once: its bytes would wait.
    static let slowHandlerTicks = 50 * Ticks.perMicrosecond
    /// Received at once: the most that a handler gets, but for TLS.
    static let receiveBytes = 65_536
    /// A block of `ThreadMemory`: that, and a record of TLS that was incomplete before.
    static let memoryBlockBytes = receiveBytes + 20 * 1024
    /// Bytes received, and connections accepted, before the queue's other work gets its turn.
    static let bytesInARow = 4 * receiveBytes
    static let acceptsInARow = 16
}
