internal import LinuxPlatform

/// The ring that carries out file requests, and its thread.
///
/// A request belongs to the thread that submitted it. The kernel finishes reads with O_DIRECT on
/// that thread, starts further kernel threads for blocked requests there, and interrupts its system
/// calls for both (EINTR). A handler's thread may be blocked, or in a call that must not be
/// interrupted. So all requests are submitted by a thread that does nothing else.
final class FileRing: @unchecked Sendable {
    // Safety: the thread uses the ring, other threads only wake it; the rest is locked or atomic.
    enum Request {
        case start(FileOperation)
        case cancel(FileOperation)
    }

    private struct Inbox {
        var requests: [Request] = []
        /// Whether the thread must be woken for the next request.
        var isAsleep = false
    }

    private let ring: Ring
    private let inbox = Locked(Inbox())

    private struct Creation {
        var ring: FileRing?
        /// No attempt before this time, in nanoseconds.
        var retry: UInt64 = 0
    }
    private static let creation = Locked(Creation())

    private init(_ ring: Ring) {
        self.ring = ring
    }

    /// Only this one can have a request.
    static var existing: FileRing? { creation.withLock { $0.ring } }

    /// Created for the first request; nil where io_uring is refused, or short of something for now.
    static var shared: FileRing? {
        let (ring, error) = creation.withLock { creation -> (FileRing?, SystemError?) in
            if creation.ring != nil || creation.retry == .max { return (creation.ring, nil) }
            let now = MonotonicClock.nanoseconds()
            if now < creation.retry { return (nil, nil) }
            do throws(SystemError) {
                creation.ring = try make()
                creation.retry = .max
                return (creation.ring, nil)
            } catch {
                creation.retry = now &+ Tuning.ringRetry
                return (nil, error)
            }
        }
        if let error {
            Diagnostics.log("files are read and written by worker threads for now: \(error)")
        }
        return ring
    }

    private static func make() throws(SystemError) -> FileRing? {
        guard let ring = try Runtime.shared.backend.makeRing() else { return nil }
        let files = FileRing(ring)
        try Threads.start { files.run() }
        return files
    }

    /// Passes a request to the thread. From any thread.
    func add(_ request: Request) {
        let mustWake = inbox.withLock { inbox in
            inbox.requests.append(request)
            return exchange(&inbox.isAsleep, with: false)
        }
        if mustWake { ring.wake() }
    }

    // MARK: on the thread

    private func run() {
        Threads.setName("ring-files")
        ring.allowManyBlocked()
        while true {
            prepareRequests()
            ring.wait()
            inbox.withLock { $0.isAsleep = false }
            ring.reap { FileOperation.completed(token: $0, result: $1) }
        }
    }

    private func prepareRequests() {
        let requests = inbox.withLock { exchange(&$0, with: Inbox(isAsleep: true)).requests }
        for request in requests {
            switch request {
            case .start(let operation):
                operation.begin(in: ring)
            case .cancel(let operation):
                operation.end(in: ring)
            }
        }
    }
}
