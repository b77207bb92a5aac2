internal import LinuxPlatform

/// The reads or the writes of a descriptor that can block: a socket, a pipe, a terminal. They run
/// one at a time, in order.
///
/// A thread that finds work while no other is the runner (`RunnerClaim`) becomes the runner of the
/// first operation: it makes the call, and waits for the descriptor on a loop if the call would
/// block.
/// The event continues directly in the loop. Only handlers are submitted to queues.
final class DescriptorSide: DescriptorWaiter, Sendable {
    let direction: IOOperation.Direction
    private let descriptor: IODescriptor

    private struct State {
        var waiting = WaitList<IOOperation>()
        var runner = RunnerClaim()
        /// Some operations in `waiting` are aborted.
        var mustSweep = false
        /// A wait has begun, and its end has not arrived.
        var isWaiting = false
        /// The result of the last wait, for the runner.
        var waitResult: Int32?
        /// The descriptor is to be released when the wait has ended.
        var mustRetire = false
        /// The loop that waits for the descriptor; nil before the first wait.
        var loop: EventLoop?
    }
    private let state = Locked(State())

    private struct Runner {
        var stream: StreamDescriptor
        /// The last call transferred less than requested, so the next one needs a wait first.
        var isExhausted = false
        /// The negated errno of a failed wait, or 0.
        var waitError: Int32 = 0
    }
    /// Belongs to the runner.
    private let runner: Confined<Runner>

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
        runner = Confined(Runner(stream: stream))
    }

    // MARK: on any thread

    func enqueue(_ operation: IOOperation) {
        run { state in
            state.waiting.append(operation)
            // A sweep for the abort may have run before the operation was on the list.
            if operation.isAborted { state.mustSweep = true }
        }
    }

    /// Runs the side: the first operation may proceed, or a handler call is due.
    func wake() { run { _ in } }

    /// Finishes aborted operations.
    func sweep() { run { $0.mustSweep = true } }

    /// Runs the side after a change, unless another thread does.
    private func run(after change: (inout State) -> Void) {
        let isMine = state.withLock { state in
            change(&state)
            return state.runner.claim()
        }
        if isMine { run() }
    }

    /// Called after the last operation. True if the end of a wait is on its way, which then calls
    /// `sideIsQuiet`. Otherwise the descriptor may be closed.
    func retire() -> Bool {
        let (mustWait, loop) = state.withLock { state in
            if state.isWaiting { cancelWait(&state) }
            state.mustRetire = state.isWaiting
            return (state.mustRetire, state.loop)
        }
        if !mustWait { loop?.readiness.release(descriptor.number) }
        return mustWait
    }

    /// Called when nothing runs or waits any more: makes the descriptor as it was.
    func restore() { runner.value.stream.restore() }

    // MARK: running

    private enum Outcome {
        case finished(Int32)
        /// The descriptor must become ready first.
        case mustWait
        /// The handler must catch up first.
        case heldBack
    }

    private func run() {
        var calls = 0
        while true {
            var isIdle = false
            var aborted: [IOOperation] = []
            let (first, result) = state.withLock { state in
                state.runner.begin()
                if state.mustSweep {
                    state.mustSweep = false
                    aborted = state.waiting.removeAll(where: \.isAborted)
                }
                isIdle = state.isWaiting
                return (state.waiting.first, state.waitResult.take())
            }
            if let result {
                runner.value.isExhausted = false
                runner.value.waitError = min(result, 0)
            }
            for operation in aborted { operation.finish(operation.abortCode) }
            first?.deliverIfCallIsDue()
            guard let first, !isIdle else {
                if rest() { return }
                continue
            }
            switch step(first, &calls) {
            case .finished(let code):
                state.withLock { _ = $0.waiting.popFirst() }
                first.finish(code)
                // This thread may be a loop's, or the program's, which called `write`.
                if calls >= DescriptorSide.callsInARow {
                    return DispatchQueue.global().submit { self.run() }
                }
            case .mustWait:
                if wait() { return }
            case .heldBack:
                if rest() { return }
            }
        }
    }

    /// Stops running; false if an event arrived. Cancels a wait without operations.
    private func rest() -> Bool {
        state.withLock { state in
            guard state.runner.rest() else { return false }
            if state.isWaiting && state.waiting.isEmpty { cancelWait(&state) }
            return true
        }
    }

    /// - Parameter calls: counts the calls, and operations without one.
    private func step(_ operation: IOOperation, _ calls: inout Int) -> Outcome {
        if operation.isComplete {
            calls += 1
            return .finished(0)
        }
        if runner.value.isExhausted { return .mustWait }
        return direction == .read ? read(operation, &calls) : write(operation, &calls)
    }

    private func read(_ operation: IOOperation, _ calls: inout Int) -> Outcome {
        for _ in 0..<DescriptorSide.callsInARow {
            calls += 1
            if operation.mustHoldBack() { return .heldBack }
            let room = min(operation.room, DescriptorSide.readSize)
            let buffer = IOBuffer(room)
            let count = runner.value.stream.read(
                into: UnsafeMutableRawBufferPointer(start: buffer.start, count: room))
            guard count > 0 else {
                if count == 0 { return .finished(0) }
                if let outcome = failed(count, operation) { return outcome }
                continue
            }
            operation.append(buffer.data(count))
            if operation.isComplete { return .finished(0) }
            operation.deliverWhatIsDue()
            // A convenience read makes one more call, in case more bytes are there.
            if count < room && !operation.channel.isConvenience {
                runner.value.isExhausted = true
                return .mustWait
            }
        }
        // It ends where the next call would block.
        let isOver =
            operation.channel.isConvenience
            && Descriptors.poll(descriptor.number, events: PollEvents.readable) == 0
        return isOver ? .finished(0) : .mustWait
    }

    private func write(_ operation: IOOperation, _ calls: inout Int) -> Outcome {
        for _ in 0..<DescriptorSide.callsInARow {
            calls += 1
            let limit = min(operation.mostWritten, DescriptorSide.writeSize)
            let count = operation.withUnwritten { pieces in
                runner.value.stream.write(
                    pieces, limit: limit, blocksSignals: Context.current.pointee.isWorker)
            }
            guard count > 0 else {
                if let outcome = failed(count, operation) { return outcome }
                continue
            }
            operation.noteWritten(count)
            if operation.isComplete { return .finished(0) }
            operation.deliverWhatIsDue()
        }
        return .mustWait
    }

    /// The outcome of a call that transferred nothing; nil means try again.
    private func failed(_ result: Int, _ operation: IOOperation) -> Outcome? {
        switch result {
        case StreamDescriptor.needsNonBlocking where runner.value.stream.mode == .noWait:
            runner.value.stream.setNonBlocking()
            return nil
        case Sockets.wouldBlock, 0:
            if operation.channel.isConvenience && direction == .read && operation.transferred > 0 {
                return .finished(0)
            }
            let waitError = runner.value.waitError
            if waitError != 0 { return .finished(-waitError) }
            runner.value.isExhausted = true
            return .mustWait
        default:
            return .finished(Int32(-result))
        }
    }

    // MARK: waiting

    /// Waits for the descriptor and stops running; false if an event arrived.
    private func wait() -> Bool {
        let events = direction == .read ? PollEvents.readable : PollEvents.writable
        let wait = DescriptorWait(for: events, by: self)
        // The wait begins under the lock: a thread that finds `isWaiting` can cancel it.
        let begun = state.withLock { state -> (loop: EventLoop, code: Int32)? in
            guard state.runner.rest() else { return nil }
            let isFirst = state.loop == nil
            let loop = state.loop ?? Runtime.shared.loopForNewSource()
            state.isWaiting = true
            state.loop = loop
            return (loop, loop.readiness.begin(wait, for: descriptor.number, isFirst: isFirst))
        }
        if let begun, begun.code == 0 {
            begun.loop.callWorkerIfNeeded()
            return true
        }
        guard let code = begun?.code else { return false }
        // A descriptor that cannot be waited for is always ready.
        let result = code == ErrorCode.notPermitted ? Int32(events) : -code
        DispatchQueue.global().submit { self.ended(result: result) }
        return true
    }

    /// If the wait has ended already, its end is on the way.
    private func cancelWait(_ state: inout State) {
        guard let loop = state.loop,
            loop.readiness.cancelWait(by: self, for: descriptor.number)
        else { return }
        state.isWaiting = false
        state.waitResult = 0
    }

    func waitEnded(_ events: UInt32, _ context: Context) {
        ended(result: Int32(bitPattern: events))
    }

    private func ended(result: Int32) {
        let (loop, isLast, isMine) = state.withLock { state in
            state.isWaiting = false
            state.waitResult = result
            let isLast = state.mustRetire
            return (state.loop, isLast, !isLast && state.runner.claim())
        }
        if isLast {
            loop?.readiness.release(descriptor.number)
            descriptor.sideIsQuiet()
        } else if isMine {
            run()
        }
    }
}
