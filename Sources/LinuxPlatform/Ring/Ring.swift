internal import CLinux
internal import Glibc

/// An io_uring instance that reads, writes and opens files.
///
/// One thread at a time prepares, submits and reaps. Requests belong to the thread that submitted
/// them, so a thread that may block submits none.
package final class Ring {
    /// Safety: one thread at a time touches it, except for words that `CLinux` reads atomically.
    private let ring: OwnedRing
    /// Ends a wait when another thread wakes the ring, which polls it.
    private let alarm: EventDescriptor
    @exclusivity(unchecked) private var isAlarmSet = false

    // Rings so small that their queues overflow all the time: a step of Scripts/verify.sh.
    #if SMALL_RINGS
    package static let entries: (submission: UInt32, completion: UInt32) = (2, 4)
    #else
    /// Room for a burst; the kernel keeps further completions (IORING_FEAT_NODROP).
    package static let entries: (submission: UInt32, completion: UInt32) = (64, 256)
    #endif

    package init(
        entries: (submission: UInt32, completion: UInt32) = Ring.entries
    ) throws(SystemError) {
        alarm = try EventDescriptor()
        var parameters = io_uring_params()
        parameters.flags =
            UInt32(IORING_SETUP_COOP_TASKRUN) | UInt32(IORING_SETUP_SUBMIT_ALL)
            | UInt32(IORING_SETUP_CQSIZE)
        parameters.cq_entries = entries.completion
        ring = try OwnedRing(entries: entries.submission, parameters)
    }

    // MARK: from any thread

    /// Ends the wait of the ring's thread, or its next one. The alarm tells it.
    package func wake() { alarm.signal() }

    // MARK: requests

    /// Lets 256 requests block at the same time, instead of 4 for each CPU: a file system that does
    /// not answer then leaves others alone. Called by the thread that submits. Linux 5.15.
    package func allowManyBlocked() {
        var most: [UInt32] = [256, 0]
        io_uring_register_iowq_max_workers(ring.start, &most)
    }

    /// Prepares a request. It ends in exactly one completion, with the token, even if it is
    /// cancelled or refused.
    package func start(_ request: FileRequest, token: UInt64) {
        let entry = freeEntry()
        // -1, as an unsigned number, stands for the file's own position.
        switch request.kind {
        case .read(let buffer, let offset):
            io_uring_prep_read(
                entry, request.descriptor, buffer.baseAddress, UInt32(buffer.count),
                UInt64(bitPattern: offset))
        case .write(let list, let offset):
            io_uring_prep_writev(
                entry, request.descriptor, list.start, UInt32(list.count),
                UInt64(bitPattern: offset))
        case .open(let path, let flags, let mode):
            io_uring_prep_openat(entry, AT_FDCWD, path, flags, mode)
        }
        entry.pointee.user_data = token
    }

    /// Prepares a cancellation. The request's completion follows in any case.
    package func cancel(token: UInt64) {
        let entry = freeEntry()
        io_uring_prep_cancel64(entry, token, 0)
        // Nobody needs its completion.
        entry.pointee.user_data = Ring.noToken
        entry.pointee.flags |= UInt8(CLINUX_SKIP_SUCCESS)
    }

    /// An entry of the submission queue. If the queue is full, the kernel takes it first, at the
    /// latest when it has memory again.
    private func freeEntry() -> UnsafeMutablePointer<io_uring_sqe> {
        while true {
            if let entry = io_uring_get_sqe(ring.start) { return entry }
            enter(waitCount: 0)
        }
    }

    // MARK: turns

    /// The tokens of completions that `reap` does not return.
    private static let alarmToken: UInt64 = 0
    private static let noToken: UInt64 = .max

    /// Submits the prepared entries and waits for a completion, or for `wake`.
    package func wait() {
        setAlarm()
        enter(waitCount: 1)
    }

    private func enter(waitCount: UInt32) {
        indispensable { () throws(SystemError) in try enter(waitCount: waitCount, timeout: nil) }
    }

    private func enter(
        waitCount: UInt32, timeout: UnsafePointer<__kernel_timespec>?
    ) throws(SystemError) {
        let result = clinux_enter(ring.start, waitCount, timeout)
        if result >= 0 || -result == ETIME || EnterRefusal.pause(after: -result) { return }
        throw SystemError(
            call: "io_uring_enter", code: -result, remedy: UringProbe.remedy(code: -result))
    }

    /// Passes the token of each request that has ended so far to `take`, with the number of bytes,
    /// a descriptor or a negated errno.
    package func reap(_ take: (_ token: UInt64, _ result: Int32) -> Void) {
        var completion = io_uring_cqe()
        while clinux_reap(ring.start, &completion) {
            switch completion.user_data {
            case Ring.noToken: break
            case Ring.alarmToken:
                isAlarmSet = false
                alarm.clear()
            default:
                take(completion.user_data, completion.res)
            }
        }
    }

    private func setAlarm() {
        if exchange(&isAlarmSet, with: true) { return }
        let entry = freeEntry()
        io_uring_prep_poll_add(entry, alarm.number, PollEvents.readable)
        entry.pointee.user_data = Ring.alarmToken
    }

    // MARK: for the probe

    /// Waits for a wake-up. Returns false if none has arrived in time, and throws a refusal.
    func probeWait(timeoutNanoseconds: UInt64) throws(SystemError) -> Bool {
        setAlarm()
        var timeout = __kernel_timespec(
            tv_sec: Int64(timeoutNanoseconds / 1_000_000_000),
            tv_nsec: Int64(timeoutNanoseconds % 1_000_000_000))
        try enter(waitCount: 1, timeout: &timeout)
        reap { _, _ in }
        return !isAlarmSet
    }

    /// Whether the kernel has an operation: 1 or 0, or a negated errno.
    func supports(_ operation: Int32) -> Int32 { clinux_supports(ring.start, operation) }
}
