internal import LinuxPlatform

/// The reads, or the writes, of a descriptor that has to be waited for: a socket, a pipe, a
/// terminal. One after the other, in order.
///
/// The thread that finds something to do and nobody at it (`isBusy`) runs the first operation: it
/// tries the call, and asks a loop to watch the descriptor when it would block. The completion of
/// the watch goes on right in the loop. Only handlers are submitted to queues.
final class DescriptorSide: LoopOperation, @unchecked Sendable {
    // Safety: `lock` guards what it says; the rest belongs to the thread that set `isBusy`.
    let direction: IOOperation.Direction
    private let descriptor: IODescriptor
    private let lock = Locked<Void>(())

    // MARK: guarded by the lock
    @exclusivity(unchecked) private var waiting = IOOperationList()
    @exclusivity(unchecked) private var isBusy = false
    /// Something came while the side was busy.
    @exclusivity(unchecked) private var hasEvents = false
    /// Some of `waiting` are to end early.
    @exclusivity(unchecked) private var mustSweep = false
    /// A loop watches the descriptor, or is about to.
    @exclusivity(unchecked) private var isWatched = false
    @exclusivity(unchecked) private var isWatchEnding = false
    /// How the last watch ended, for the runner to take over.
    @exclusivity(unchecked) private var watchResult: Int32?
    /// The descriptor is to be let go as soon as nothing watches it.
    @exclusivity(unchecked) private var mustRetire = false

    // MARK: the runner's
    @exclusivity(unchecked) private(set) var stream: StreamDescriptor
    /// The last call found less than it asked for: the next one waits for a watch first.
    @exclusivity(unchecked) private var isExhausted = false
    /// The watch itself failed, with a negated errno.
    @exclusivity(unchecked) private var watchError: Int32 = 0

    /// Most bytes of one call.
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

    // MARK: from any thread

    func enqueue(_ operation: IOOperation, _ context: Context) {
        let isMine = lock.withLock { _ -> Bool in
            waiting.append(operation)
            // Whoever aborted it may have swept before it was here.
            if operation.abortCode != 0 { mustSweep = true }
            return claim()
        }
        if isMine { run(context) }
    }

    /// Something changed: the first operation may go on, or be told of.
    func wake(_ context: Context) {
        if lock.withLock({ _ in claim() }) { run(context) }
    }

    /// Some operations are to end early.
    func sweep(_ context: Context) {
        let isMine = lock.withLock { _ -> Bool in
            mustSweep = true
            return claim()
        }
        if isMine { run(context) }
    }

    /// No operation comes any more: tells the descriptor when nothing watches it. False when that
    /// is so already.
    func retire() -> Bool {
        lock.withLock { _ in
            mustRetire = isWatched
            return mustRetire
        }
    }

    /// Under the lock: true for the thread that has to run the side.
    private func claim() -> Bool {
        hasEvents = isBusy
        if isBusy { return false }
        isBusy = true
        return true
    }

    // MARK: running

    private enum Outcome {
        case finished(Int32)
        /// Nothing to do before the descriptor is ready.
        case mustWatch
        /// Nothing to do before the handler has caught up.
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
                if let result = watchResult.take() {
                    isExhausted = false
                    watchError = result < 0 && result != FileRequest.cancelled ? result : 0
                }
                isIdle = isWatched
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
            case .mustWatch:
                if watch(context) { return }
            case .heldBack:
                if rest(context) { return }
            }
        }
    }

    /// Stops running; false when something came meanwhile. A watch that nobody needs is ended.
    private func rest(_ context: Context) -> Bool {
        var mustEndWatch = false
        let isOver = lock.withLock { _ -> Bool in
            if hasEvents { return false }
            isBusy = false
            if isWatched && waiting.isEmpty && !isWatchEnding {
                isWatchEnding = true
                mustEndWatch = true
            }
            return true
        }
        if mustEndWatch { requestEnd(context) }
        return isOver
    }

    private func step(_ operation: IOOperation, _ context: Context) -> Outcome {
        if operation.isComplete { return .finished(0) }
        if isExhausted { return .mustWatch }
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
            // One more look tells a convenience read whether that was all.
            if count < room && !operation.channel.isConvenience {
                isExhausted = true
                return .mustWatch
            }
        }
        return .mustWatch
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
        return .mustWatch
    }

    /// What follows a call that transferred nothing; nil: try it again.
    private func failed(_ result: Int, _ operation: IOOperation) -> Outcome? {
        switch result {
        case StreamDescriptor.needsNonBlocking:
            stream.setNonBlocking()
            return nil
        case StreamDescriptor.wouldBlock, 0:
            if operation.channel.isConvenience && direction == .read && operation.transferred > 0 {
                return .finished(0)
            }
            if watchError != 0 { return .finished(-watchError) }
            isExhausted = true
            return .mustWatch
        default:
            return .finished(Int32(-result))
        }
    }

    // MARK: the watch

    /// Has a loop watch the descriptor, and stops running; false when something came meanwhile.
    private func watch(_ context: Context) -> Bool {
        let home = chooseLoop(context)
        let isOver = lock.withLock { _ -> Bool in
            if hasEvents { return false }
            isBusy = false
            isWatched = true
            loop = home
            return true
        }
        if isOver { begin(on: home, context) }
        return isOver
    }

    /// Where the thread is, so that a connection follows its handlers; with epoll always the same.
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
            isWatched = false
            isWatchEnding = false
            watchResult = result
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

    // MARK: the end

    /// Has the kernel forget the descriptor, where it keeps something of it between two watches.
    /// False when there is nothing to forget.
    func requestForgetting(_ context: Context) -> Bool {
        guard let loop, !loop.registrationsMigrate else { return false }
        let release = DescriptorRelease(stream.number) { [descriptor] context in
            descriptor.sideIsQuiet(context)
        }
        loop.request(.start(release), from: context)
        return true
    }
}
