internal import CRing
internal import Glibc

/// The io_uring back end: a ring that any thread may enter, one at a time.
///
/// The ring is set up with COOP_TASKRUN and without SINGLE_ISSUER, so that a stand-in can serve it
/// while the thread that used it before is stuck in a handler.
package final class UringKernel: Kernel {
    /// Safety: touched only under the lane's lease, but for words that `CRing` reads atomically.
    private let ring: UnsafeMutablePointer<io_uring>
    private let scratch: UnsafeMutableBufferPointer<io_uring_cqe>
    private let doorbell: Doorbell
    /// Watches that found the submission queue full; submitted first at the next turn.
    private var overflow: [Prepared] = []

    private struct Prepared {
        var isCancel: Bool
        var descriptor: Int32
        var events: UInt32
        var token: UInt64
    }

    /// Small, so that it stays in the cache: it is emptied each turn.
    package static let submissionEntries: UInt32 = 128
    /// Room for a burst; what goes beyond it the kernel keeps (IORING_FEAT_NODROP).
    package static let completionEntries: UInt32 = 4096

    package init(
        doorbell: Doorbell,
        submissionEntries: UInt32 = UringKernel.submissionEntries,
        completionEntries: UInt32 = UringKernel.completionEntries
    ) throws(KernelError) {
        self.doorbell = doorbell
        ring = .allocate(capacity: 1)
        ring.initialize(to: io_uring())
        var parameters = io_uring_params()
        parameters.flags = UringKernel.setupFlags
        parameters.cq_entries = completionEntries
        let result = io_uring_queue_init_params(submissionEntries, ring, &parameters)
        if result < 0 {
            ring.deallocate()
            throw UringProbe.setupError(code: -result)
        }
        scratch = .allocate(capacity: 256)
    }

    static let setupFlags =
        UInt32(IORING_SETUP_COOP_TASKRUN) | UInt32(IORING_SETUP_TASKRUN_FLAG)
        | UInt32(IORING_SETUP_SUBMIT_ALL) | UInt32(IORING_SETUP_CQSIZE)

    deinit {
        io_uring_queue_exit(ring)
        ring.deallocate()
        scratch.deallocate()
    }

    package var backend: Backend { .ioUring }
    package var watchesMigrate: Bool { true }

    package func watch(descriptor: Int32, events: UInt32, token: UInt64) {
        prepare(
            Prepared(isCancel: false, descriptor: descriptor, events: events, token: token))
    }

    package func cancelWatch(descriptor: Int32, token: UInt64) {
        prepare(Prepared(isCancel: true, descriptor: descriptor, events: 0, token: token))
    }

    /// The ring holds no state of a descriptor beyond its watches.
    package func release(descriptor: Int32) {}

    private func prepare(_ operation: Prepared) {
        guard overflow.isEmpty, let entry = freeEntry() else {
            overflow.append(operation)
            return
        }
        fill(entry, operation)
    }

    private func freeEntry() -> UnsafeMutablePointer<io_uring_sqe>? {
        if let entry = io_uring_get_sqe(ring) { return entry }
        enter(waitCount: 0, timeout: nil)
        return io_uring_get_sqe(ring)
    }

    private func fill(_ entry: UnsafeMutablePointer<io_uring_sqe>, _ operation: Prepared) {
        if operation.isCancel {
            io_uring_prep_poll_remove(entry, operation.token)
            entry.pointee.user_data = 0
        } else {
            io_uring_prep_poll_add(entry, operation.descriptor, operation.events)
            entry.pointee.user_data = operation.token
        }
    }

    private func submitOverflow() {
        var done = 0
        while done < overflow.count, let entry = freeEntry() {
            fill(entry, overflow[done])
            done += 1
        }
        overflow.removeFirst(done)
    }

    package var hasUnsubmitted: Bool {
        ring.pointee.sq.sqe_head != ring.pointee.sq.sqe_tail || !overflow.isEmpty
    }

    package func submit() {
        if !overflow.isEmpty { submitOverflow() }
        enter(waitCount: 0, timeout: nil)
    }

    package func wait(timeoutNanoseconds: UInt64?) {
        if !overflow.isEmpty { submitOverflow() }
        guard let nanoseconds = timeoutNanoseconds else {
            enter(waitCount: 1, timeout: nil)
            return
        }
        var timeout = __kernel_timespec()
        timeout.tv_sec = Int64(nanoseconds / 1_000_000_000)
        timeout.tv_nsec = Int64(nanoseconds % 1_000_000_000)
        enter(waitCount: 1, timeout: &timeout)
    }

    private func enter(waitCount: UInt32, timeout: UnsafePointer<__kernel_timespec>?) {
        do {
            try tryEnter(waitCount: waitCount, timeout: timeout)
        } catch {
            fatalKernel(error)
        }
    }

    private func tryEnter(
        waitCount: UInt32, timeout: UnsafePointer<__kernel_timespec>?
    ) throws(KernelError) {
        let result = cring_enter(ring, waitCount, timeout)
        switch -result {
        case ..<0, 0, ETIME, EINTR:
            break
        case EAGAIN, EBUSY, ENOMEM:
            // The completion queue is full, or memory is short for now: what was prepared stays
            // in the submission queue, and the turn that follows reaps and enters again.
            break
        default:
            throw KernelError(
                call: "io_uring_enter", code: -result, remedy: UringProbe.remedy(code: -result))
        }
    }

    /// Waits like `wait`, but reports a refusal: for the probe.
    func probeWait(timeoutNanoseconds: UInt64) throws(KernelError) {
        var timeout = __kernel_timespec()
        timeout.tv_sec = Int64(timeoutNanoseconds / 1_000_000_000)
        timeout.tv_nsec = Int64(timeoutNanoseconds % 1_000_000_000)
        try tryEnter(waitCount: 1, timeout: &timeout)
    }

    package func reap(into buffer: UnsafeMutableBufferPointer<Completion>) -> Int {
        let capacity = UInt32(min(buffer.count, scratch.count))
        let count = Int(cring_reap(ring, scratch.baseAddress, capacity))
        for index in 0..<count {
            let entry = scratch[index]
            buffer[index] = Completion(token: entry.user_data, result: entry.res)
        }
        return count
    }

    package func wake() {
        doorbell.ring(ring.pointee.ring_fd)
    }

    package var hasCompletions: Bool { cring_has_completions(ring) }
    package var needsEnter: Bool { cring_needs_enter(ring) }
}
