internal import LinuxPlatform

/// The reads or the writes of a descriptor that can block: a socket, a pipe, a terminal. They run
/// one at a time, in order.
///
/// A thread that finds work while no other is the runner (`isBusy`) becomes the runner of the first
/// operation: it makes the call, and waits for the descriptor on a loop if the call would block.
/// The event continues directly in the loop. Only handlers are submitted to queues.
final class DescriptorSide: @unchecked Sendable {
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
    /// A wait has begun, and its end has not arrived.
    @exclusivity(unchecked) private var isWaiting = false
    /// The result of the last wait, for the runner.
    @exclusivity(unchecked) private var waitResult: Int32?
    /// The descriptor is to be released when the wait has ended.
    @exclusivity(unchecked) private var mustRetire = false
    /// The loop that waits for the descriptor; nil before the first wait.
    @exclusivity(unchecked) private var loop: EventLoop?

    // MARK: owned by the runner
    @exclusivity(unchecked) private(set) var stream: StreamDescriptor
    /// The last call transferred less than requested, so the next one needs a wait first.
    @exclusivity(unchecked) private var isExhausted = false
    /// The negated errno of a failed wait, or 0.
    @exclusivity(unchecked) private var waitError: Int32 = 0

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

    /// Called after the last operation. True if the end of a wait is on its way, which then calls
    /// `sideIsQuiet`. Otherwise the descriptor may be closed.
    func retire() -> Bool {
        let mustWait = lock.withLock { _ in
            if isWaiting { cancelWait() }
            mustRetire = isWaiting
            return mustRetire
        }
        if !mustWait { loop?.readiness.release(stream.number) }
        return mustWait
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
        case mustWait
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
                if let result = waitResult.take() {
                    isExhausted = false
                    waitError = min(result, 0)
                }
                isIdle = isWaiting
                return waiting.first
            }
            for operation in aborted { operation.finish(operation.abortCode, context) }
            first?.deliverIfCallIsDue(context)
            guard let first, !isIdle else {
                if rest() { return }
                continue
            }
            switch step(first, context) {
            case .finished(let code):
                lock.withLock { _ in _ = waiting.popFirst() }
                first.finish(code, context)
            case .mustWait:
                if wait(context) { return }
            case .heldBack:
                if rest() { return }
            }
        }
    }

    /// Stops running; false if an event arrived. Cancels a wait without operations.
    private func rest() -> Bool {
        lock.withLock { _ in
            if hasEvents { return false }
            isBusy = false
            if isWaiting && waiting.isEmpty { cancelWait() }
            return true
        }
    }

    private func step(_ operation: IOOperation, _ context: Context) -> Outcome {
        if operation.isComplete { return .finished(0) }
        if isExhausted { return .mustWait }
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
                return .mustWait
            }
        }
        return .mustWait
    }

    private func write(_ operation: IOOperation, _ context: Context) -> Outcome {
        for _ in 0..<DescriptorSide.callsInARow {
            let limit = min(operation.mostWritten, DescriptorSide.writeSize)
            let count = operation.withUnwritten { pieces in
                stream.write(
                    pieces, limit: limit, blocksSignals: context.pointee.isWorker)
            }
            guard count > 0 else {
                if let outcome = failed(count, operation) { return outcome }
                continue
            }
            operation.noteWritten(count)
            if operation.isComplete { return .finished(0) }
            operation.deliverWhatIsDue(context)
        }
        return .mustWait
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
            if waitError != 0 { return .finished(-waitError) }
            isExhausted = true
            return .mustWait
        default:
            return .finished(Int32(-result))
        }
    }

    // MARK: waiting

    /// Waits for the descriptor and stops running; false if an event arrived.
    private func wait(_ context: Context) -> Bool {
        let isFirst = loop == nil
        let home = loop ?? Runtime.loopForNewSource()
        let events = direction == .read ? PollEvents.readable : PollEvents.writable
        let reference = Unmanaged.passRetained(self)
        let wait = DescriptorWait(
            for: events, by: reference.toOpaque(), complete: DescriptorSide.completed)
        // The wait begins under the lock: a thread that finds `isWaiting` can cancel it.
        let code = lock.withLock { _ -> Int32? in
            if hasEvents { return nil }
            isBusy = false
            isWaiting = true
            loop = home
            return home.readiness.begin(wait, for: stream.number, isFirst: isFirst)
        }
        if code == 0 {
            home.callWorkerIfNeeded()
            return true
        }
        reference.release()
        guard let code else { return false }
        // A descriptor that cannot be waited for is always ready.
        let result = code == ErrorCode.notPermitted ? Int32(events) : -code
        DispatchQueue.global().submit { self.ended(result: result, Context.current) }
        return true
    }

    /// Under the lock. If the wait has ended already, its end is on the way.
    private func cancelWait() {
        let reference = Unmanaged.passUnretained(self)
        guard let loop,
            loop.readiness.cancelWait(by: reference.toOpaque(), for: stream.number)
        else { return }
        isWaiting = false
        waitResult = 0
        reference.release()
    }

    private static func completed(
        _ object: UnsafeMutableRawPointer, _ events: UInt32, _ context: Context
    ) {
        let side = Unmanaged<DescriptorSide>.fromOpaque(object).takeRetainedValue()
        side.ended(result: Int32(bitPattern: events), context)
    }

    private func ended(result: Int32, _ context: Context) {
        var isLast = false
        let isMine = lock.withLock { _ -> Bool in
            isWaiting = false
            waitResult = result
            isLast = mustRetire
            return !isLast && claim()
        }
        if isLast {
            loop?.readiness.release(stream.number)
            descriptor.sideIsQuiet(context)
        } else if isMine {
            run(context)
        }
    }
}
