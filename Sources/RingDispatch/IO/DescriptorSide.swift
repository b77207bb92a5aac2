internal import LinuxPlatform

/// The reads or the writes of a descriptor that can block: a socket, a pipe, a terminal. They run
/// one at a time, in order.
///
/// A thread that finds work while no other is the runner (`isBusy`) becomes the runner of the first
/// operation: it makes the call, and registers the descriptor with a loop if the call would block.
/// The completion continues directly in the loop. Only handlers are submitted to queues.
final class DescriptorSide: LoopOperation, @unchecked Sendable {
    // Safety: `lock` guards the fields marked so; the rest belongs to the thread that set `isBusy`.
    let direction: IOOperation.Direction
    private let descriptor: IODescriptor
    private let lock = Locked<Void>(())

    // MARK: guarded by the lock
    @exclusivity(unchecked) private var waiting = IOOperationList()
    @exclusivity(unchecked) private var isBusy = false
    /// An event arrived while the side was busy.
    @exclusivity(unchecked) private var hasEvents = false
    /// Some operations in `waiting` are aborted.
    @exclusivity(unchecked) private var mustSweep = false
    /// A poll registration is in flight, or about to be made.
    @exclusivity(unchecked) private var isRegistered = false
    @exclusivity(unchecked) private var isRegistrationEnding = false
    /// The result of the last registration, for the runner.
    @exclusivity(unchecked) private var registrationResult: Int32?
    /// The descriptor is to be released when the registration has ended.
    @exclusivity(unchecked) private var mustRetire = false

    // MARK: owned by the runner
    @exclusivity(unchecked) private(set) var stream: StreamDescriptor
    /// The last call transferred less than requested, so the next one needs a registration first.
    @exclusivity(unchecked) private var isExhausted = false
    /// The negated errno of a failed registration, or 0.
    @exclusivity(unchecked) private var registrationError: Int32 = 0

    /// Maximum bytes per call.
    static let readSize = 65_536
    static let writeSize = 262_144
    /// Calls in a row before others get their turn.
    static let callsInARow = 16

    init(
        _ direction: IOOperation.Direction, of descriptor: IODescriptor, _ stream: StreamDescriptor
    ) {
        self.direction = direction
        self.descriptor = descriptor
        self.stream = stream
    }

    // MARK: on any thread

    func enqueue(_ operation: IOOperation, _ context: Context) {
        let isMine = lock.withLock { _ -> Bool in
            waiting.append(operation)
            // A sweep for the abort may have run before the operation was on the list.
            if operation.abortCode != 0 { mustSweep = true }
            return claim()
        }
        if isMine { run(context) }
    }

    /// Runs the side: the first operation may proceed, or a handler call is due.
    func wake(_ context: Context) {
        if lock.withLock({ _ in claim() }) { run(context) }
    }

    /// Finishes aborted operations.
    func sweep(_ context: Context) {
        let isMine = lock.withLock { _ -> Bool in
            mustSweep = true
            return claim()
        }
        if isMine { run(context) }
    }

    /// Called after the last operation. True if a registration is in flight; its end then calls
    /// `sideIsQuiet`.
    func retire() -> Bool {
        lock.withLock { _ in
            mustRetire = isRegistered
            return mustRetire
        }
    }

    /// Under the lock. True if the caller becomes the runner.
    private func claim() -> Bool {
        hasEvents = isBusy
        if isBusy { return false }
        isBusy = true
        return true
    }

    // MARK: running

    private enum Outcome {
        case finished(Int32)
        /// The descriptor must become ready first.
        case mustRegister
        /// The handler must catch up first.
        case heldBack
    }

    private func run(_ context: Context) {
        while true {
            var isIdle = false
            var aborted: [IOOperation] = []
            let first = lock.withLock { _ -> IOOperation? in
                hasEvents = false
                if mustSweep {
                    mustSweep = false
                    aborted = waiting.removeAborted()
                }
                if let result = registrationResult.take() {
                    isExhausted = false
                    registrationError = result < 0 && result != FileRequest.cancelled ? result : 0
                }
                isIdle = isRegistered
                return waiting.first
            }
            for operation in aborted { operation.finish(operation.abortCode, context) }
            first?.deliverIfCallIsDue(context)
            guard let first, !isIdle else {
                if rest(context) { return }
                continue
            }
            switch step(first, context) {
            case .finished(let code):
                lock.withLock { _ in _ = waiting.popFirst() }
                first.finish(code, context)
            case .mustRegister:
                if register(context) { return }
            case .heldBack:
                if rest(context) { return }
            }
        }
    }

    /// Stops running; false if an event arrived. Cancels a registration without operations.
    private func rest(_ context: Context) -> Bool {
        var mustEndRegistration = false
        let isOver = lock.withLock { _ -> Bool in
            if hasEvents { return false }
            isBusy = false
            if isRegistered && waiting.isEmpty && !isRegistrationEnding {
                isRegistrationEnding = true
                mustEndRegistration = true
            }
            return true
        }
        if mustEndRegistration { requestEnd(context) }
        return isOver
    }

    private func step(_ operation: IOOperation, _ context: Context) -> Outcome {
        if operation.isComplete { return .finished(0) }
        if isExhausted { return .mustRegister }
        return direction == .read ? read(operation, context) : write(operation, context)
    }

    private func read(_ operation: IOOperation, _ context: Context) -> Outcome {
        for _ in 0..<DescriptorSide.callsInARow {
            if operation.mustHoldBack() { return .heldBack }
            let room = min(operation.room, DescriptorSide.readSize)
            let buffer = IOBuffer.take(room)
            let count = stream.read(
                into: UnsafeMutableRawBufferPointer(start: buffer.start, count: room))
            guard count > 0 else {
                if count == 0 { return .finished(0) }
                if let outcome = failed(count, operation) { return outcome }
                continue
            }
            operation.append(buffer.data(count))
            if operation.isComplete { return .finished(0) }
            operation.deliverWhatIsDue(context)
            // A convenience read makes one more call, in case more bytes are there.
            if count < room && !operation.channel.isConvenience {
                isExhausted = true
                return .mustRegister
            }
        }
        return .mustRegister
    }

    private func write(_ operation: IOOperation, _ context: Context) -> Outcome {
        for _ in 0..<DescriptorSide.callsInARow {
            let limit = min(operation.mostWritten, DescriptorSide.writeSize)
            let count = operation.withUnwritten { pieces in
                stream.write(
                    pieces, limit: limit, blocksSignals: context.pointee.worker != nil)
            }
            guard count > 0 else {
                if let outcome = failed(count, operation) { return outcome }
                continue
            }
            operation.noteWritten(count)
            if operation.isComplete { return .finished(0) }
            operation.deliverWhatIsDue(context)
        }
        return .mustRegister
    }

    /// The outcome of a call that transferred nothing; nil means try again.
    private func failed(_ result: Int, _ operation: IOOperation) -> Outcome? {
        switch result {
        case StreamDescriptor.needsNonBlocking:
            stream.setNonBlocking()
            return nil
        case StreamDescriptor.wouldBlock, 0:
            if operation.channel.isConvenience && direction == .read && operation.transferred > 0 {
                return .finished(0)
            }
            if registrationError != 0 { return .finished(-registrationError) }
            isExhausted = true
            return .mustRegister
        default:
            return .finished(Int32(-result))
        }
    }

    // MARK: registration

    /// Registers the descriptor and stops running; false if an event arrived.
    private func register(_ context: Context) -> Bool {
        let home = chooseLoop(context)
        let isOver = lock.withLock { _ -> Bool in
            if hasEvents { return false }
            isBusy = false
            isRegistered = true
            loop = home
            return true
        }
        if isOver { begin(on: home, context) }
        return isOver
    }

    /// The worker's loop, so that a connection follows its handlers; with epoll, always the same.
    private func chooseLoop(_ context: Context) -> EventLoop {
        if let loop, !loop.registrationsMigrate { return loop }
        if let here = context.pointee.loop, !here.isBackground, context.pointee.worker != nil {
            return here
        }
        return loop ?? Runtime.loopForNewSource()
    }

    override func submit(to loop: EventLoop, token: UInt64) {
        loop.register(
            descriptor: stream.number,
            events: direction == .read ? PollEvents.readable : PollEvents.writable, token: token)
    }

    override func withdraw(from loop: EventLoop, token: UInt64) {
        loop.cancelRegistration(descriptor: stream.number, token: token)
    }

    override func noteEnded(on loop: EventLoop) { loop.noteRegistrationEnded() }

    override func ended(result: Int32, _ context: Context) {
        var isLast = false
        let isMine = lock.withLock { _ -> Bool in
            isRegistered = false
            isRegistrationEnding = false
            registrationResult = result
            isLast = mustRetire
            return !isLast && claim()
        }
        if isLast {
            if let loop, !loop.registrationsMigrate { loop.release(descriptor: stream.number) }
            descriptor.sideIsQuiet(context)
        } else if isMine {
            run(context)
        }
    }

    // MARK: release

    /// Removes what the kernel keeps for the descriptor between registrations, then calls
    /// `sideIsQuiet`. False if there is nothing.
    func requestForgetting(_ context: Context) -> Bool {
        guard let loop, !loop.registrationsMigrate else { return false }
        let release = DescriptorRelease(stream.number) { [descriptor] context in
            descriptor.sideIsQuiet(context)
        }
        loop.request(.start(release), from: context)
        return true
    }
}
