internal import LinuxPlatform

/// Reads and writes a descriptor without blocking. `dispatch_io_t`.
///
/// A `.stream` channel runs its reads in order, and its writes likewise; a `.random` channel runs
/// all operations concurrently. io_uring reads and writes files (with epoll, a runtime thread
/// does); sockets, pipes and the like are read and written when they are ready.
///
/// Do not close or otherwise use the descriptor before the cleanup handler is called. Writing to a
/// closed peer gives EPIPE, never SIGPIPE. Sockets keep their flags, and so do pipes since Linux
/// 6.4; FIFOs, terminals and some devices have O_NONBLOCK set while channels use them.
///
/// Releasing a channel closes it: submitted operations continue, then the cleanup handler is
/// called. Releasing a suspended channel ends the process.
public final class DispatchIO: DispatchObject, @unchecked Sendable {
    // Safety: `core` is Sendable by proof of the compiler; `suspension` is a lock.
    let core: IOChannel
    private let suspension = Locked(Suspension())

    /// The order of a channel's operations.
    public enum StreamType: UInt, Sendable {
        /// In submission order, at the descriptor's own position.
        case stream = 0
        /// Concurrently, each at its own offset.
        case random = 1
    }

    /// Options of `close`.
    public struct CloseFlags: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Aborts submitted operations. `DISPATCH_IO_STOP`.
        public static let stop = CloseFlags(rawValue: 1)
    }

    /// Options of `setInterval`.
    public struct IntervalFlags: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Calls the handlers even with fewer bytes than the low water mark, or none.
        /// `DISPATCH_IO_STRICT_INTERVAL`.
        public static let strictInterval = IntervalFlags(rawValue: 1)
    }

    private struct Suspension {
        var count = 0
        /// Operations and barriers submitted while suspended.
        var held: [Held] = []
    }

    private init(
        _ type: StreamType, _ descriptor: IODescriptor, _ queue: DispatchQueue,
        _ cleanupHandler: @escaping (_ error: Int32) -> Void
    ) {
        core = IOChannel(type, descriptor, cleanup: IOCleanup(queue: queue, cleanupHandler))
    }

    /// Takes control of a descriptor. `dispatch_io_create`.
    /// - Parameters:
    ///   - type: whether operations run in order, or at offsets and at the same time.
    ///   - fileDescriptor: do not use or close it before the cleanup handler runs.
    ///   - queue: the queue of the cleanup handler.
    ///   - cleanupHandler: called once, when this and all other channels of the descriptor are
    ///     closed and their operations have ended. The argument is 0, or why the channel cannot be
    ///     used (EBADF, EISDIR, or ESPIPE for `.random` with a socket, a pipe or a character
    ///     device; then it is called at once).
    public convenience init(
        type: StreamType, fileDescriptor: Int32, queue: DispatchQueue,
        cleanupHandler: @escaping (_ error: Int32) -> Void
    ) {
        self.init(type, IODescriptor.using(fileDescriptor), queue, cleanupHandler)
        core.prepare()
    }

    /// Uses the file at a path. The first operation opens it, the library closes it.
    /// `dispatch_io_create_with_path`.
    /// - Parameters:
    ///   - type: whether operations run in order, or at offsets and at the same time.
    ///   - path: absolute; otherwise the result is nil.
    ///   - oflag: the flags of open(2); O_NONBLOCK and O_CLOEXEC are added.
    ///   - mode: the permissions of a file created with O_CREAT.
    ///   - queue: the queue of the cleanup handler.
    ///   - cleanupHandler: as for a descriptor. If the file cannot be opened, each operation also
    ///     ends with the error.
    public convenience init?(
        type: StreamType, path: UnsafePointer<Int8>, oflag: Int32, mode: UInt32,
        queue: DispatchQueue, cleanupHandler: @escaping (_ error: Int32) -> Void
    ) {
        let path = IOPath(path, flags: oflag, mode: mode)
        guard path.isAbsolute else { return nil }
        self.init(type, IODescriptor(number: -1, path: path), queue, cleanupHandler)
        // If a handler on this queue makes the channel, this runs behind it: usually the first
        // operation has begun to open the path by then, which shows an error, too.
        queue.submit { [core] in
            guard core.descriptor.isUnopened else { return }
            DispatchQueue.global().submit { core.descriptor.checkPath() }
        }
    }

    /// Shares the descriptor of another channel. `dispatch_io_create_with_io`.
    ///
    /// If that channel is closed, the cleanup handler is called with ECANCELED.
    public convenience init(
        type: StreamType, io: DispatchIO, queue: DispatchQueue,
        cleanupHandler: @escaping (_ error: Int32) -> Void
    ) {
        let failure = io.core.failure
        if failure == 0 && io.core.descriptor.join() {
            self.init(type, io.core.descriptor, queue, cleanupHandler)
            core.prepare()
        } else {
            // The number -1 belongs to no descriptor.
            self.init(type, IODescriptor.using(-1), queue, cleanupHandler)
            core.fail(failure == 0 ? ErrorCode.cancelled : failure)
        }
    }

    deinit {
        if suspension.withLock({ $0.count }) > 0 {
            fatalMisuse(
                "a channel of descriptor \(core.descriptor.number) was released while suspended: "
                    + "resume it before releasing its last reference")
        }
        core.close(isStop: false)
    }

    // MARK: DispatchObject

    /// Holds back operations and barriers submitted from now on. Suspensions nest.
    public override func suspend() {
        suspension.withLock { $0.count += 1 }
    }

    /// Undoes one suspension.
    public override func resume() {
        // The channel stays suspended until nothing is held, which keeps the order.
        while true {
            let held = suspension.withLock { suspension -> [Held] in
                guard suspension.count > 0 else {
                    fatalMisuse(
                        "over-resume of a channel of descriptor \(core.descriptor.number): "
                            + "it is not suspended")
                }
                if suspension.count == 1 && !suspension.held.isEmpty {
                    return exchange(&suspension.held, with: [])
                }
                suspension.count -= 1
                return []
            }
            if held.isEmpty { return }
            for entry in held { core.descriptor.submit(entry) }
        }
    }

    /// Sets the queue of barriers, at any time; nil means the default global queue.
    public override func setTarget(queue: DispatchQueue?) {
        core.barrierQueue.withLock { $0 = queue }
    }

    /// Submits an entry, or holds it if the channel is suspended.
    func enter(_ entry: Held) {
        let passes = suspension.withLock { suspension -> Bool in
            if suspension.count > 0 { suspension.held.append(entry) }
            return suspension.count == 0
        }
        if passes { core.descriptor.submit(entry) }
    }
}
