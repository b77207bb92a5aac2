internal import LinuxPlatform

extension DispatchRuntime {
    /// A handler that has run for long.
    public struct Stall: Sendable, CustomStringConvertible {
        /// The label of the handler's queue; nil where the kernel does not let the runtime find out
        /// safely (membarrier(2)).
        public let queue: String?
        /// The kernel's ID of the thread.
        public let thread: Int32
        /// For how long the handler has run, in nanoseconds, since the runtime first saw it: up
        /// to a millisecond less than in truth, or four if the process was quiet.
        public let nanoseconds: UInt64
        /// Whether the thread computes, or waits for a CPU. Otherwise it is blocked.
        public let isComputing: Bool
        /// The kernel function in which the thread is blocked, for example `futex_do_wait`; nil if
        /// the kernel does not say (proc_pid_wchan(5)).
        public let waitChannel: String?

        init(_ activity: WorkerActivity, _ nanoseconds: UInt64) {
            queue = activity.queue
            thread = Int32(bitPattern: activity.thread)
            self.nanoseconds = nanoseconds
            isComputing = Threads.isRunnable(thread: activity.thread)
            waitChannel = isComputing ? nil : Threads.waitChannel(ofThread: activity.thread)
        }

        /// Says the same in one line.
        public var description: String {
            let queue = queue.map { "queue '\($0)'" } ?? "a queue"
            let place = waitChannel.map { " in \($0)" } ?? ""
            return "a handler of \(queue) has run for \(nanoseconds / 1_000_000) ms on thread "
                + "\(thread): it \(isComputing ? "computes" : "is blocked\(place)")"
        }
    }
}
