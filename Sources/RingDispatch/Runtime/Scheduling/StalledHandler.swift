internal import LinuxPlatform

/// A handler that has run for long. `DispatchRuntime.Stall` describes the fields.
struct StalledHandler: Sendable, CustomStringConvertible {
    let queue: String?
    let thread: UInt32
    let nanoseconds: UInt64
    let isComputing: Bool
    let waitChannel: String?

    init(_ activity: WorkerActivity, _ nanoseconds: UInt64) {
        queue = activity.queue
        thread = activity.thread
        self.nanoseconds = nanoseconds
        isComputing = Threads.isRunnable(thread: thread)
        waitChannel = isComputing ? nil : Threads.waitChannel(ofThread: thread)
    }

    var description: String {
        let queue = queue.map { "queue '\($0)'" } ?? "a queue"
        let what =
            isComputing ? "it computes" : "it is blocked" + (waitChannel.map { " in \($0)" } ?? "")
        return "a handler of \(queue) has run for \(nanoseconds / 1_000_000) ms on thread "
            + "\(thread): \(what)"
    }
}
