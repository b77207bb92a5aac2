internal import CLinux
internal import Glibc

/// The io_uring back end: a ring that any thread may enter, one at a time. It serves streams with
/// multishot requests; `UringReadinessBackend` overrides that.
///
/// The ring is set up with COOP_TASKRUN and without SINGLE_ISSUER, so that another worker can use
/// it while the thread that used it before is stuck in a handler.
package class UringBackend: IOBackend {
    /// Safety: only the loop's holder touches it, except for words that `CLinux` reads atomically.
    private let ring: UnsafeMutablePointer<io_uring>
    private let doorbell: Doorbell
    /// Whether an entry can suppress its completion on success (Linux 5.17).
    private let skipsSuccess: Bool
    /// Entries that found the submission queue full; submitted first at the next turn.
    @exclusivity(unchecked) private var overflow: [Prepared] = []
    @exclusivity(unchecked) private var bufferRing: UringBufferRing?
    private let settings: BackendSettings

    private struct Prepared {
        var action: Action
        var token: UInt64

        enum Action {
            case poll(descriptor: Int32, events: UInt32)
            case endPoll
            case request(FileRequest)
            case receive(descriptor: Int32, isUnix: Bool)
            case accept(descriptor: Int32)
            case endRequest
        }
    }

    /// Room for a burst; the kernel keeps further completions (IORING_FEAT_NODROP). The kernel's
    /// table of polls grows with this number, up to this size.
    package static let completionEntries: UInt32 = 8192

    package init(
        doorbell: Doorbell, settings: BackendSettings = BackendSettings(),
        completionEntries: UInt32 = UringBackend.completionEntries, bindsStreams: Bool = true
    ) throws(SystemError) {
        self.doorbell = doorbell
        self.settings = settings
        ring = .allocate(capacity: 1)
        ring.initialize(to: io_uring())
        var parameters = io_uring_params()
        parameters.flags = UringBackend.setupFlags
        parameters.cq_entries = completionEntries
        let result = clinux_open_ring(settings.submissionEntries, ring, &parameters)
        if result < 0 {
            ring.deallocate()
            throw UringProbe.setupError(code: -result)
        }
        skipsSuccess = parameters.features & UInt32(IORING_FEAT_CQE_SKIP) != 0
        super.init(kind: .ioUring, registrationsMigrate: true, bindsStreams: bindsStreams)
    }

    static let setupFlags =
        UInt32(IORING_SETUP_COOP_TASKRUN) | UInt32(IORING_SETUP_TASKRUN_FLAG)
        | UInt32(IORING_SETUP_SUBMIT_ALL) | UInt32(IORING_SETUP_CQSIZE)

    deinit {
        clinux_close_ring(ring)
        ring.deallocate()
        bufferRing?.free()
    }

    /// Readable while there are completions.
    var descriptor: Int32 { ring.pointee.ring_fd }

    package override func register(descriptor: Int32, events: UInt32, token: UInt64) {
        if overflow.isEmpty, clinux_prepare_poll(ring, descriptor, events, token) { return }
        prepare(Prepared(action: .poll(descriptor: descriptor, events: events), token: token))
    }

    package override func cancelRegistration(descriptor: Int32, token: UInt64) {
        prepare(Prepared(action: .endPoll, token: token))
    }

    package override var carriesOutRequests: Bool { true }

    package override func start(_ request: FileRequest, token: UInt64) {
        prepare(Prepared(action: .request(request), token: token))
    }

    package override func cancelRequest(token: UInt64) {
        prepare(Prepared(action: .endRequest, token: token))
    }

    /// The ring keeps no state of a descriptor except for its registrations.
    package override func release(descriptor: Int32) {}

    // MARK: sockets

    package override func receive(descriptor: Int32, isUnix: Bool, token: UInt64) {
        let action = Prepared.Action.receive(descriptor: descriptor, isUnix: isUnix)
        prepare(Prepared(action: action, token: token))
    }

    package override func accept(descriptor: Int32, token: UInt64) {
        prepare(Prepared(action: .accept(descriptor: descriptor), token: token))
    }

    package override func cancelStream(descriptor: Int32, token: UInt64) {
        prepare(Prepared(action: .endRequest, token: token))
    }

    package override var receiveBuffers: ReceiveBuffers {
        if let bufferRing { return bufferRing.buffers }
        do {
            let made = try UringBufferRing(of: ring, count: settings.receiveBuffers)
            bufferRing = made
            return made.buffers
        } catch {
            fatalSystemError(error)
        }
    }

    package override func giveBack(buffer: UInt16) { bufferRing?.giveBack(buffer) }

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
        case .endPoll:
            io_uring_prep_poll_remove(entry, operation.token)
        case .request(let request):
            fill(entry, request)
            token = operation.token
        case .receive(let descriptor, let isUnix):
            if isUnix {
                // Linux 6.18 may lose the end of a Unix socket's stream in a multishot receive. A
                // single receive finds it.
                io_uring_prep_recv(entry, descriptor, nil, ReceiveBuffers.size, 0)
            } else {
                io_uring_prep_recv_multishot(entry, descriptor, nil, 0, 0)
            }
            entry.pointee.flags |= UInt8(CLINUX_BUFFER_SELECT)
            entry.pointee.buf_group = UringBufferRing.group
            token = operation.token
        case .accept(let descriptor):
            io_uring_prep_multishot_accept(
                entry, descriptor, nil, nil, Int32(SOCK_CLOEXEC.rawValue))
            token = operation.token
        case .endRequest:
            io_uring_prep_cancel64(entry, operation.token, 0)
        }
        entry.pointee.user_data = token
        if token == 0 && skipsSuccess { entry.pointee.flags |= UInt8(CLINUX_SKIP_SUCCESS) }
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

    package final override var hasUnsubmitted: Bool {
        ring.pointee.sq.sqe_head != ring.pointee.sq.sqe_tail || !overflow.isEmpty
    }

    package override func submit() {
        if !overflow.isEmpty { submitOverflow() }
        enter(waitCount: 0, timeout: nil)
    }

    package override func wait(timeoutNanoseconds: UInt64?) {
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
        var timeout = __kernel_timespec()
        timeout.tv_sec = Int64(timeoutNanoseconds / 1_000_000_000)
        timeout.tv_nsec = Int64(timeoutNanoseconds % 1_000_000_000)
        try tryEnter(waitCount: 1, timeout: &timeout)
    }

    package override var canReap: Bool { hasCompletions }

    package override func reap(into buffer: UnsafeMutableBufferPointer<Completion>) -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        // Safety: `Completion` has the layout of the kernel's entry.
        let entries = UnsafeMutableRawPointer(start).assumingMemoryBound(to: io_uring_cqe.self)
        return Int(clinux_reap(ring, entries, UInt32(buffer.count)))
    }

    package override func wake() {
        doorbell.ring(descriptor)
    }

    package final override var hasCompletions: Bool { clinux_has_completions(ring) }
    package final override var needsEnter: Bool { clinux_needs_enter(ring) }
}
