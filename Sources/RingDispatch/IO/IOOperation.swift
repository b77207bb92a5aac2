internal import LinuxPlatform
internal import Synchronization

/// A read or write of a channel, from submission until its handler's last call has returned.
///
/// One runner at a time (of the `DescriptorSide` or `FileTransfer`) works on it. Handler calls are
/// submitted in order.
final class IOOperation: Sendable {
    enum Direction: Sendable {
        case read
        case write
    }

    let direction: Direction
    let channel: IOChannel
    /// Bytes to transfer; `.max` means up to the end.
    let length: Int
    /// Relative to the channel's `base`; ignored for streams.
    let offset: Int64
    let limits: IOLimits
    private let queue: DispatchQueue
    private let handler: IOHandler<Handler>
    /// The error of an abort, or 0. The first store (releasing) wins, and pairs with the runner's
    /// load (acquiring).
    private let abortion = Atomic<Int32>(0)
    /// The interval has elapsed: set by the timer, cleared by the runner. Relaxed: guards no data.
    private let isCallDue = Atomic<Bool>(false)
    /// The weight of handler calls that were submitted and have not returned.
    private let unhandled = Atomic<Int>(0)
    /// The runner waits for `unhandled` to fall. Store-then-check with `unhandled`; the thread that
    /// clears the flag continues.
    private let isHeldBack = Atomic<Bool>(false)
    private let source: DispatchData

    private struct Progress {
        /// Bytes read or written so far.
        var transferred = 0
        /// Bytes read but not delivered, because of the low water mark.
        var undelivered = DispatchData.empty
        /// Bytes written since the last report to the handler.
        var unreported = 0
        /// Orders the calls if the handler's queue is concurrent.
        var serial: DispatchQueue?
        /// The deadline and interval timers; set before the operation is shared.
        var timers: [any DispatchSourceTimer] = []
    }
    /// Belongs to the runner.
    private let progress = Confined(Progress())

    typealias Handler = (_ done: Bool, _ data: DispatchData?, _ error: Int32) -> Void

    /// The weight of unfinished handler calls that holds the operation back.
    static let mostUnhandled = 1 << 18
    /// The same while all operations together are far ahead of their handlers: less than one piece
    /// of a large file, but many messages of a socket.
    private static let mostUnhandledOfMany = 1 << 15
    /// The minimum weight of a call, so that many small ones count, too.
    private static let leastWeight = 512

    init(
        _ direction: Direction, channel: IOChannel, offset: Int64 = 0, length: Int,
        data: DispatchData = .empty, queue: DispatchQueue, handler: @escaping Handler
    ) {
        self.direction = direction
        self.channel = channel
        self.offset = offset
        self.length = length
        source = data
        limits = channel.isConvenience ? .wholesale : channel.limits.withLock { $0 }
        self.queue = queue
        self.handler = IOHandler(handler)
        IOStatistics.liveOperations.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { IOStatistics.liveOperations.wrappingSubtract(1, ordering: .relaxed) }

    /// Call it before the operation is shared.
    func add(_ timer: any DispatchSourceTimer) { progress.value.timers.append(timer) }

    // MARK: for the runner

    private(set) var transferred: Int {
        get { progress.value.transferred }
        set { progress.value.transferred = newValue }
    }

    var remaining: Int { length - transferred }
    var isComplete: Bool { transferred == length }

    /// The bytes that a read may request now.
    var room: Int { min(remaining, max(1, limits.high - progress.value.undelivered.count)) }

    /// The error for ending early, because of an abort or a stop; 0 means continue.
    var abortCode: Int32 {
        let code = abortion.load(ordering: .acquiring)
        return code == 0 && channel.isStopped ? ErrorCode.cancelled : code
    }

    var isAborted: Bool { abortCode != 0 }

    func append(_ data: DispatchData) {
        transferred += data.count
        if progress.value.undelivered.count == 0 {
            progress.value.undelivered = data
        } else {
            progress.value.undelivered.append(data)
        }
    }

    func withUnwritten<Result>(
        _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Result
    ) -> Result {
        source.withBuffers(from: transferred, limit: GatherList.mostPieces, body)
    }

    /// The maximum bytes to write at once.
    var mostWritten: Int { min(remaining, limits.high) }

    func noteWritten(_ count: Int) {
        transferred += count
        progress.value.unreported += count
    }

    /// Calls the handler if the water marks require it.
    func deliverWhatIsDue() {
        while isEnoughToDeliver { deliverPiece() }
    }

    private var isEnoughToDeliver: Bool {
        direction == .read
            ? progress.value.undelivered.count >= limits.readLow
            : progress.value.unreported >= limits.writeLow
    }

    /// Calls the handler if its interval has elapsed.
    func deliverIfCallIsDue() {
        guard isCallDue.load(ordering: .relaxed), isCallDue.exchange(false, ordering: .relaxed)
        else { return }
        if limits.isStrict || isEnoughToDeliver { deliverPiece() }
    }

    private func deliverPiece() {
        if direction == .write {
            progress.value.unreported = 0
            return call(done: false, unwritten, 0)
        }
        let all = progress.value.undelivered
        let isRest = all.count <= limits.high
        progress.value.undelivered = isRest ? .empty : all.subdata(in: limits.high..<all.count)
        call(done: false, isRest ? all : all.subdata(in: 0..<limits.high), 0)
    }

    private var unwritten: DispatchData { source.subdata(in: transferred..<source.count) }

    /// Ends the operation: delivers the remaining bytes, and calls the handler a last time.
    /// - Parameter code: 0 if all was transferred or the end was reached, else the error.
    func finish(_ code: Int32) {
        for timer in progress.value.timers { timer.cancel() }
        progress.value.timers = []
        let last: DispatchData?
        if direction == .write {
            last = code == 0 ? nil : unwritten
        } else if channel.isConvenience {
            last = progress.value.undelivered
        } else if code == 0 && isComplete {
            while progress.value.undelivered.count > limits.high { deliverPiece() }
            last = progress.value.undelivered
        } else {
            while progress.value.undelivered.count > 0 { deliverPiece() }
            last = code == 0 ? .empty : nil
        }
        progress.value.undelivered = .empty
        callLast(last, code)
    }

    // MARK: calls

    private func callLast(_ data: DispatchData?, _ code: Int32) {
        guard channel.isConvenience else {
            call(done: true, data, code)
            return
        }
        // Called after the channel has released the descriptor.
        let last = IOCleanup(queue: queue) { [handler] _ in handler.call(true, data, code) }
        channel.cleanup.withLock { $0 = last }
        channel.operationEnded()
    }

    private func call(done: Bool, _ data: DispatchData?, _ code: Int32) {
        let weight = max(data?.count ?? 0, IOOperation.leastWeight)
        if !done && direction == .read {
            unhandled.wrappingAdd(weight, ordering: .sequentiallyConsistent)
            ReadAhead.add(weight)
        }
        callQueue(done).submit { [self] in
            handler.call(done, data, code)
            if done { channel.operationEnded() } else if direction == .read { noteHandled(weight) }
        }
    }

    private func callQueue(_ done: Bool) -> DispatchQueue {
        if queue.isSerial { return queue }
        if let serial = progress.value.serial { return serial }
        // A single call needs no ordering.
        if done { return queue }
        let serial = DispatchQueue(label: queue.label, target: queue)
        progress.value.serial = serial
        return serial
    }

    private func noteHandled(_ weight: Int) {
        ReadAhead.remove(weight)
        unhandled.wrappingSubtract(weight, ordering: .sequentiallyConsistent)
        guard isHeldBack.load(ordering: .sequentiallyConsistent), !isTooFarBehind,
            isHeldBack.exchange(false, ordering: .sequentiallyConsistent)
        else { return }
        channel.descriptor.wake(self)
    }

    /// False once all calls have returned: the last one continues, whatever other operations do.
    private var isTooFarBehind: Bool {
        let most =
            ReadAhead.isLong ? IOOperation.mostUnhandledOfMany : IOOperation.mostUnhandled
        return unhandled.load(ordering: .sequentiallyConsistent) > most
    }

    /// Whether the runner must wait for the handler; `noteHandled` then wakes it.
    func mustHoldBack() -> Bool {
        guard isTooFarBehind else { return false }
        isHeldBack.store(true, ordering: .sequentiallyConsistent)
        if isTooFarBehind { return true }
        // The thread that clears the flag continues.
        return !isHeldBack.exchange(false, ordering: .sequentiallyConsistent)
    }

    /// Calls the handler of an operation that its channel refuses.
    func refuse(_ code: Int32) {
        let data = direction == .write ? source : nil
        queue.submit { [handler] in handler.call(true, data, code) }
    }

    // MARK: on any thread

    /// Aborts the operation with an error, once its runner notices.
    func abort(_ code: Int32) {
        let isFirst = abortion.compareExchange(
            expected: 0, desired: code, ordering: .releasing
        ).exchanged
        if isFirst { channel.descriptor.sweep() }
    }

    /// Makes the runner call the handler with the available bytes.
    func requestCall() {
        isCallDue.store(true, ordering: .relaxed)
        channel.descriptor.wake(self)
    }
}
