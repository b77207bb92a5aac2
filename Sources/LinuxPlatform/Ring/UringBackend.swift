internal import CLinux
internal import Glibc

/// The io_uring back end: a ring that any thread may enter, one at a time, and beside it an epoll
/// set, which receives and accepts on readable descriptors. That costs less than the ring's own
/// receiving, whose task work runs on the thread that requested it, after each of its system calls.
///
/// The set contains the ring's descriptor, so one wait covers both. The ring is set up with
/// COOP_TASKRUN and without SINGLE_ISSUER, so that another worker can use it while the thread that
/// used it before is stuck in a handler.
package final class UringBackend: IOBackend {
    /// Safety: only the loop's holder touches it, except for words that `CLinux` reads atomically.
    private let ring: UnsafeMutablePointer<io_uring>
    private let doorbell: Doorbell
    /// Entries that found the submission queue full; submitted first at the next turn.
    @exclusivity(unchecked) private var overflow: [Prepared] = []
    private let streams: EpollSet

    private struct Prepared {
        var action: Action
        var token: UInt64

        enum Action {
            case poll(descriptor: Int32, events: UInt32)
            case request(FileRequest)
            case cancel
        }
    }

    package init(
        doorbell: Doorbell, settings: BackendSettings = BackendSettings(),
        completionEntries: UInt32 = BackendSettings.entries.completion
    ) throws(SystemError) {
        self.doorbell = doorbell
        streams = try EpollSet(bufferCount: settings.receiveBuffers)
        ring = .allocate(capacity: 1)
        ring.initialize(to: io_uring())
        var parameters = io_uring_params()
        parameters.flags =
            UInt32(IORING_SETUP_COOP_TASKRUN) | UInt32(IORING_SETUP_TASKRUN_FLAG)
            | UInt32(IORING_SETUP_SUBMIT_ALL) | UInt32(IORING_SETUP_CQSIZE)
        parameters.cq_entries = completionEntries
        let result = clinux_open_ring(settings.submissionEntries, ring, &parameters)
        if result < 0 {
            ring.deallocate()
            throw UringProbe.setupError(code: -result)
        }
        super.init(registrationsMigrate: true)
        try streams.add(bell: descriptor)
    }

    deinit {
        clinux_close_ring(ring)
        ring.deallocate()
    }

    /// Readable while there are completions.
    private var descriptor: Int32 { ring.pointee.ring_fd }

    package override func register(descriptor: Int32, events: UInt32, token: UInt64) {
        if overflow.isEmpty, clinux_prepare_poll(ring, descriptor, events, token) { return }
        prepare(Prepared(action: .poll(descriptor: descriptor, events: events), token: token))
    }

    package override func cancelRegistration(descriptor: Int32, token: UInt64) {
        prepare(Prepared(action: .cancel, token: token))
    }

    package override var carriesOutRequests: Bool { true }

    package override func start(_ request: FileRequest, token: UInt64) {
        prepare(Prepared(action: .request(request), token: token))
    }

    package override func cancelRequest(token: UInt64) {
        prepare(Prepared(action: .cancel, token: token))
    }

    /// The ring itself keeps no state of a descriptor except for its registrations.
    package override func release(descriptor: Int32) { streams.release(descriptor: descriptor) }

    // MARK: sockets

    package override func receive(descriptor: Int32, isUnix: Bool, token: UInt64) {
        streams.receive(descriptor: descriptor, isUnix: isUnix, token: token)
        noteStreams()
    }

    package override func accept(descriptor: Int32, token: UInt64) {
        streams.accept(descriptor: descriptor, token: token)
        noteStreams()
    }

    package override func cancelStream(descriptor: Int32, token: UInt64) {
        streams.cancelStream(descriptor: descriptor, token: token)
        noteStreams()
    }

    private func noteStreams() { setMustBeAsked(streams.streamCount > 0) }

    package override var receiveBuffers: ReceiveBuffers { streams.receiveBuffers }

    package override func giveBack(buffer: UInt16) { streams.giveBack(buffer: buffer) }

    // MARK: submitting

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
        // An entry that cancels another one has no token, because nobody needs its completion.
        var token: UInt64 = 0
        switch operation.action {
        case .poll(let descriptor, let events):
            io_uring_prep_poll_add(entry, descriptor, events)
            token = operation.token
        case .request(let request):
            fill(entry, request)
            token = operation.token
        case .cancel:
            // Not POLL_REMOVE: it fails (EALREADY) while an event is on its way to the poll, which
            // then goes on waiting if another reader has taken what was to be read.
            io_uring_prep_cancel64(entry, operation.token, 0)
        }
        entry.pointee.user_data = token
        if token == 0 { entry.pointee.flags |= UInt8(CLINUX_SKIP_SUCCESS) }
    }

    private func fill(_ entry: UnsafeMutablePointer<io_uring_sqe>, _ request: FileRequest) {
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
    }

    private func submitOverflow() {
        var done = 0
        while done < overflow.count, let entry = freeEntry() {
            fill(entry, overflow[done])
            done += 1
        }
        overflow.removeFirst(done)
    }

    package override var hasUnsubmitted: Bool {
        ring.pointee.sq.sqe_head != ring.pointee.sq.sqe_tail || !overflow.isEmpty
    }

    package override func submit() {
        guard streams.isInUse else { return submitToRing() }
        submitIfNeeded()
        streams.take(timeoutNanoseconds: 0)
    }

    package override func wait(timeoutNanoseconds: UInt64?) {
        guard streams.isInUse else { return waitInRing(timeoutNanoseconds) }
        // Task work of the ring for this thread interrupts the wait.
        submitIfNeeded()
        streams.take(timeoutNanoseconds: timeoutNanoseconds)
    }

    private func submitIfNeeded() {
        if hasUnsubmitted || needsEnter { submitToRing() }
    }

    private func submitToRing() {
        if !overflow.isEmpty { submitOverflow() }
        enter(waitCount: 0, timeout: nil)
    }

    private func waitInRing(_ nanoseconds: UInt64?) {
        if !overflow.isEmpty { submitOverflow() }
        guard let nanoseconds else { return enter(waitCount: 1, timeout: nil) }
        var timeout = UringBackend.timespec(nanoseconds)
        enter(waitCount: 1, timeout: &timeout)
    }

    private static func timespec(_ nanoseconds: UInt64) -> __kernel_timespec {
        __kernel_timespec(
            tv_sec: Int64(nanoseconds / 1_000_000_000), tv_nsec: Int64(nanoseconds % 1_000_000_000))
    }

    private func enter(waitCount: UInt32, timeout: UnsafePointer<__kernel_timespec>?) {
        do {
            try tryEnter(waitCount: waitCount, timeout: timeout)
        } catch {
            fatalSystemError(error)
        }
    }

    private func tryEnter(
        waitCount: UInt32, timeout: UnsafePointer<__kernel_timespec>?
    ) throws(SystemError) {
        let result = clinux_enter(ring, waitCount, timeout)
        switch -result {
        case ..<0, 0, ETIME, EINTR:
            break
        case EAGAIN, EBUSY, ENOMEM:
            // The completion queue is full, or memory is short for now. The entries stay in the
            // submission queue, and the next turn reaps and enters again.
            break
        default:
            throw SystemError(
                call: "io_uring_enter", code: -result, remedy: UringProbe.remedy(code: -result))
        }
    }

    /// Like `wait`, but throws a refusal: for the probe.
    func probeWait(timeoutNanoseconds: UInt64) throws(SystemError) {
        var timeout = UringBackend.timespec(timeoutNanoseconds)
        try tryEnter(waitCount: 1, timeout: &timeout)
    }

    /// Whether the kernel has an operation: 1 or 0, or a negated errno. For the probe.
    func supports(_ operation: Int32) -> Int32 { clinux_supports(ring, operation) }

    package override var canReap: Bool { hasCompletions || streams.hasEvents }

    package override func reap(into buffer: UnsafeMutableBufferPointer<Completion>) -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        // Safety: `Completion` has the layout of the kernel's entry.
        let entries = UnsafeMutableRawPointer(start).assumingMemoryBound(to: io_uring_cqe.self)
        let count = Int(clinux_reap(ring, entries, UInt32(buffer.count)))
        guard streams.hasEvents else { return count }
        defer { noteStreams() }
        return count + streams.reap(into: start + count, room: buffer.count - count)
    }

    package override func wake() {
        doorbell.ring(descriptor)
    }

    package override var hasCompletions: Bool { clinux_has_completions(ring) }
    package override var needsEnter: Bool { clinux_needs_enter(ring) }
}
