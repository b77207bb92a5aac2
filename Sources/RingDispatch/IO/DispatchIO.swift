internal import LinuxPlatform

/// Reads and writes a descriptor without blocking. `dispatch_io_t`.
///
/// Operations of a `.stream` channel run in the order of their submission, reads beside writes;
/// those of a `.random` channel run side by side. Files are read and written by the kernel's ring
/// (a thread of the runtime where there is none), sockets, pipes and the like when they are ready.
///
/// Do not close the descriptor, nor use it in other ways, before the cleanup handler was called.
/// A closed peer gives EPIPE, and never a SIGPIPE. Sockets and pipes are left as they are; on a
/// terminal and some devices O_NONBLOCK is set as long as channels use them.
///
/// A channel whose last reference goes without `close` is closed: what was submitted goes on, and
/// the cleanup handler is called.
public final class DispatchIO: DispatchObject, @unchecked Sendable {
    // Safety: the core looks after itself, the rest is locked.
    let core: IOChannel
    private let suspension = Locked(Suspension())

    /// How the operations of a channel follow each other.
    public enum StreamType: UInt, Sendable {
        /// One after the other, at the descriptor's own position.
        case stream = 0
        /// Side by side, each at its own offset.
        case random = 1
    }

    /// How `close` ends a channel.
    public struct CloseFlags: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Aborts what was submitted. `DISPATCH_IO_STOP`.
        public static let stop = CloseFlags(rawValue: 1)
    }

    /// What `setInterval` means.
    public struct IntervalFlags: OptionSet, Sendable {
        public let rawValue: UInt
        public init(rawValue: UInt) { self.rawValue = rawValue }
        /// Calls the handlers even if there are fewer bytes than the low water mark, or none.
        /// `DISPATCH_IO_STRICT_INTERVAL`.
        public static let strictInterval = IntervalFlags(rawValue: 1)
    }

    private struct Suspension {
        var count = 0
        /// What was submitted meanwhile.
        var held: [Held] = []
    }

    private init(core: IOChannel) {
        self.core = core
    }

    /// Takes control of a descriptor. `dispatch_io_create`.
    /// - Parameters:
    ///   - queue: where the cleanup handler runs.
    ///   - cleanupHandler: called once, when the channel is closed, its operations have ended, and
    ///     so have all other channels of the descriptor. The argument is 0; or says why the channel
    ///     could not be used, at once: EBADF, EISDIR, ESPIPE (`.random` of a socket or a pipe).
    public convenience init(
        type: StreamType, fileDescriptor: Int32, queue: DispatchQueue,
        cleanupHandler: @escaping (_ error: Int32) -> Void
    ) {
        let descriptor = IODescriptor.using(fileDescriptor)
        self.init(
            core: IOChannel(
                type, descriptor, cleanup: IOCleanup(queue: queue, cleanupHandler)))
        core.prepare()
    }

    /// Uses the file at a path, which the first operation opens, and the library closes.
    /// `dispatch_io_create_with_path`.
    ///
    /// The flags are those of open(2); O_NONBLOCK and O_CLOEXEC come with them.
    /// - Parameters:
    ///   - path: absolute; the result is nil if it is not.
    ///   - mode: of a file that is made by O_CREAT.
    ///   - cleanupHandler: as for a descriptor. When the file cannot be opened, the error also ends
    ///     each operation.
    public convenience init?(
        type: StreamType, path: UnsafePointer<Int8>, oflag: Int32, mode: UInt32,
        queue: DispatchQueue, cleanupHandler: @escaping (_ error: Int32) -> Void
    ) {
        let path = IOPath(path, flags: oflag, mode: mode)
        guard path.isAbsolute else { return nil }
        let channel = IOChannel(
            type, IODescriptor.forPath(path), cleanup: IOCleanup(queue: queue, cleanupHandler))
        self.init(core: channel)
        channel.descriptor.register(channel)
        DispatchQueue.global().submit {
            let error = path.findError()
            if error != 0 { channel.fail(error) }
        }
    }

    /// Uses the descriptor of another channel, together with it. `dispatch_io_create_with_io`.
    ///
    /// A channel that was closed cannot be used: the cleanup handler is called with ECANCELED.
    public convenience init(
        type: StreamType, io: DispatchIO, queue: DispatchQueue,
        cleanupHandler: @escaping (_ error: Int32) -> Void
    ) {
        let cleanup = IOCleanup(queue: queue, cleanupHandler)
        let failure = io.core.failure
        if failure == 0 && io.core.descriptor.join() {
            self.init(core: IOChannel(type, io.core.descriptor, cleanup: cleanup))
            core.descriptor.register(core)
            core.prepare()
        } else {
            // A descriptor of nobody's.
            self.init(core: IOChannel(type, IODescriptor.using(-1), cleanup: cleanup))
            core.fail(failure == 0 ? ErrorCode.cancelled : failure)
        }
    }

    deinit {
        if suspension.withLock({ $0.count }) > 0 {
            fatalMisuse(
                "a channel of descriptor \(core.descriptor.number) was released while suspended: "
                    + "resume it before its last reference goes")
        }
        core.close(isStop: false)
    }

    // MARK: DispatchObject

    /// Does nothing: a channel is active from the beginning.
    public override func activate() {}

    /// Holds operations and barriers back that are submitted from now on. Nests.
    public override func suspend() {
        suspension.withLock { $0.count += 1 }
    }

    /// Takes one suspension back.
    public override func resume() {
        let held = suspension.withLock { suspension -> [Held] in
            guard suspension.count > 0 else {
                fatalMisuse(
                    "over-resume of a channel of descriptor \(core.descriptor.number): "
                        + "it is not suspended")
            }
            suspension.count -= 1
            guard suspension.count == 0 else { return [] }
            defer { suspension.held = [] }
            return suspension.held
        }
        for entry in held { pass(entry) }
    }

    /// Sets where barriers run; nil: the default global queue.
    public override func setTarget(queue: DispatchQueue?) {
        core.barrierQueue = queue
    }

    /// Hands over what was submitted, unless the channel is suspended.
    func enter(_ entry: Held) {
        let passes = suspension.withLock { suspension -> Bool in
            if suspension.count > 0 { suspension.held.append(entry) }
            return suspension.count == 0
        }
        if passes { pass(entry) }
    }

    private func pass(_ entry: Held) {
        switch entry {
        case .operation(let operation): core.descriptor.submit(operation, Context.current)
        case .barrier(let barrier): core.descriptor.submit(barrier, Context.current)
        }
    }
}
