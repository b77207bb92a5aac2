internal import LinuxPlatform

/// The CPU time of a handler's thread, as the monitor samples it, and what that says.
struct CPUUsage {
    /// When the handler began, or was first seen, and at the last sample. In nanoseconds.
    private let first: UInt64?
    private var last: UInt64?

    init(_ used: UInt64?) {
        first = used
        last = used
    }

    /// What the thread of a handler does.
    enum Activity {
        case blocks
        case computes
        /// Other threads have the CPU: a replacement worker would wait for it as well.
        case waitsForCPU
    }

    /// Samples the thread. A handler that has computed blocks once it uses no more CPU time.
    mutating func activity(of thread: UInt32?) -> Activity {
        guard let thread, let first, let now = Threads.cpuNanoseconds(ofThread: thread) else {
            return .blocks
        }
        let isRunning = exchange(&last, with: now) != now
        let hasComputed = now &- first >= Tuning.computing
        if hasComputed && isRunning { return .computes }
        guard Threads.isRunnable(thread: thread) else { return .blocks }
        return hasComputed ? .computes : .waitsForCPU
    }
}
