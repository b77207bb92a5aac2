/// Which kernel interface serves the lanes.
package enum Backend: String, Sendable, CaseIterable {
    case ioUring = "io_uring"
    case epoll
}

/// One event that the kernel reported.
package struct Completion {
    /// The token its watch was made with; 0 stands for none (a wake-up).
    package var token: UInt64
    /// The poll(2) events that are ready, or a negated `errno`.
    package var result: Int32
}

/// What a lane asks of the kernel: one-shot readiness watches, a wait, and a wake-up.
///
/// All but `wake`, `hasCompletions` and `needsEnter` belong to the thread that holds the lane's
/// lease. Every watch ends in exactly one completion, also when it is cancelled or refused.
package protocol Kernel: AnyObject {
    var backend: Backend { get }

    /// Whether a descriptor may be watched now here, now by another lane's kernel, without cost.
    var watchesMigrate: Bool { get }

    /// Watches a descriptor once for poll(2) `events`.
    func watch(descriptor: Int32, events: UInt32, token: UInt64)

    /// Asks for the end of a watch that is still out. Its completion follows in any case.
    func cancelWatch(descriptor: Int32, token: UInt64)

    /// Forgets a descriptor that is about to be closed. None of its caller's watches is out.
    func release(descriptor: Int32)

    /// Hands over what was prepared and takes in what is ready, without waiting.
    func submit()

    /// The same, and waits for a completion, a wake-up or the end of the timeout (nil: for ever).
    /// A signal may end it early.
    func wait(timeoutNanoseconds: UInt64?)

    /// Takes completions out; their count, at most the buffer's size.
    func reap(into buffer: UnsafeMutableBufferPointer<Completion>) -> Int

    /// Ends the wait of the thread that is in `wait`, or the next one. From any thread.
    func wake()

    /// Whether prepared watches wait for `submit` or `wait`.
    var hasUnsubmitted: Bool { get }

    /// Whether completions wait to be reaped. From any thread; a hint.
    var hasCompletions: Bool { get }

    /// Whether the kernel has completions that only an enter makes visible. From any thread.
    var needsEnter: Bool { get }
}

/// poll(2) event bits, which epoll(7) shares.
package enum PollEvents {
    package static let readable: UInt32 = 0x001
    package static let writable: UInt32 = 0x004
    package static let error: UInt32 = 0x008
    package static let hangUp: UInt32 = 0x010
}
