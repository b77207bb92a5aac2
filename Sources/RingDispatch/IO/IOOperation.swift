internal import LinuxPlatform
internal import Synchronization

/// A read or write of a channel, from submission until its handler's last call has returned.
///
/// One runner at a time (the `DescriptorSide` or `FileTransfer`) works on it and owns the fields
/// marked so. Handler calls are submitted in order.
final class IOOperation: @unchecked Sendable {
    // Safety: see above; the rest is immutable, atomic, or set before the operation is shared.
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
    private let handler: IOHandler
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
    /// The deadline and interval timers; set before the operation is shared.
    @exclusivity(unchecked) var timers: [any DispatchSourceTimer] = []

    // MARK: owned by the runner
    /// The next operation on the waiting list; owned by the list.
    @exclusivity(unchecked) var next: IOOperation?
    /// Bytes read or written so far.
    @exclusivity(unchecked) private(set) var transferred = 0
    /// Bytes read but not delivered, because of the low water mark.
    @exclusivity(unchecked) private(set) var undelivered = DispatchData.empty
    private let source: DispatchData
    /// Bytes written since the last report to the handler.
    @exclusivity(unchecked) private var unreported = 0
    /// Orders the calls if the handler's queue is concurrent.
    @exclusivity(unchecked) private var serial: DispatchQueue?

    /// The weight of unfinished handler calls that holds the operation back.
    static let mostUnhandled = 1 << 20
    /// The minimum weight of a call, so that many small ones count, too.
    private static let leastWeight = 512

    init(
        _ direction: Direction, channel: IOChannel, offset: Int64, length: Int,
        data: DispatchData = .empty, limits: IOLimits, queue: DispatchQueue, handler: IOHandler
    ) {
        self.direction = direction
        self.channel = channel
        self.offset = offset
        self.length = length
        source = data
        self.limits = limits
        self.queue = queue
        self.handler = handler
        IOStatistics.liveOperations.wrappingAdd(1, ordering: .relaxed)
    }

    deinit { IOStatistics.liveOperations.wrappingSubtract(1, ordering: .relaxed) }

    // MARK: for the runner

    var remaining: Int { length - transferred }
    var isComplete: Bool { transferred == length }

    /// The bytes that a read may request now.
    var room: Int { min(remaining, max(1, limits.high - undelivered.count)) }

    /// The error for ending early, because of an abort or a stop; 0 means continue.
    var abortCode: Int32 {
        let code = abortion.load(ordering: .acquiring)
        return code == 0 && channel.isStopped ? ErrorCode.cancelled : code
    }

    func append(_ data: DispatchData) {
        transferred += data.count
        if undelivered.count == 0 { undelivered = data } else { undelivered.append(data) }
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
        unreported += count
    }

    /// Calls the handler if the water marks require it.
    func deliverWhatIsDue(_ context: Context) {
        if direction == .write {
            if unreported >= limits.writeLow { report(context) }
            return
        }
        while undelivered.count >= limits.readLow { deliverPiece(context) }
    }

    /// Calls the handler if its interval has elapsed.
    func deliverIfCallIsDue(_ context: Context) {
        guard isCallDue.load(ordering: .relaxed), isCallDue.exchange(false, ordering: .relaxed)
        else { return }
        let (size, low) =
            direction == .read
            ? (undelivered.count, limits.readLow) : (unreported, limits.writeLow)
        guard limits.isStrict || size >= low && size > 0 else { return }
        if direction == .write { report(context) } else { deliverPiece(context) }
    }

    private func deliverPiece(_ context: Context) {
        call(done: false, takePiece(), 0, context)
    }

    private func takePiece() -> DispatchData {
        let all = undelivered
        guard all.count > limits.high else {
            undelivered = .empty
            return all
        }
        undelivered = all.subdata(in: limits.high..<all.count)
        return all.subdata(in: 0..<limits.high)
    }

    private func report(_ context: Context) {
        unreported = 0
        call(done: false, unwritten, 0, context)
    }

    private var unwritten: DispatchData { source.subdata(in: transferred..<source.count) }

    /// Ends the operation: delivers the remaining bytes, and calls the handler a last time.
    /// - Parameter code: 0 if all was transferred or the end was reached, else the error.
    func finish(_ code: Int32, _ context: Context) {
        for timer in timers { timer.cancel() }
        timers = []
        let last: DispatchData?
        if direction == .write {
            last = code == 0 ? nil : unwritten
        } else if channel.isConvenience {
            last = undelivered
        } else if code == 0 && isComplete {
            while undelivered.count > limits.high { deliverPiece(context) }
            last = undelivered
        } else {
            while undelivered.count > 0 { deliverPiece(context) }
            last = code == 0 ? .empty : nil
        }
        undelivered = .empty
        callLast(last, code, context)
    }

    // MARK: calls

    private func callLast(_ data: DispatchData?, _ code: Int32, _ context: Context) {
        guard channel.isConvenience else {
            call(done: true, data, code, context)
            return
        }
        // Called after the channel has released the descriptor.
        channel.setCleanup(
            IOCleanup(queue: queue) { [handler] _ in handler.call(true, data, code) })
        end()
    }

    private func call(done: Bool, _ data: DispatchData?, _ code: Int32, _ context: Context) {
        let weight = max(data?.count ?? 0, IOOperation.leastWeight)
        if !done && direction == .read {
            unhandled.wrappingAdd(weight, ordering: .sequentiallyConsistent)
        }
        callQueue(done).submit { [self] in
            handler.call(done, data, code)
            if done { end() } else if direction == .read { noteHandled(weight) }
        }
    }

    private func callQueue(_ done: Bool) -> DispatchQueue {
        if queue.isSerial { return queue }
        if let serial { return serial }
        // A single call needs no ordering.
        if done { return queue }
        let serial = DispatchQueue(label: queue.label, target: queue)
        self.serial = serial
        return serial
    }

    private func noteHandled(_ weight: Int) {
        unhandled.wrappingSubtract(weight, ordering: .sequentiallyConsistent)
        guard isHeldBack.load(ordering: .sequentiallyConsistent), !isTooFarBehind,
            isHeldBack.exchange(false, ordering: .sequentiallyConsistent)
        else { return }
        channel.descriptor.wake(self, Context.current)
    }

    private var isTooFarBehind: Bool {
        unhandled.load(ordering: .sequentiallyConsistent) > IOOperation.mostUnhandled
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

    private func end() { channel.operationEnded(self) }

    // MARK: on any thread

    /// Aborts the operation with an error, once its runner notices.
    func abort(_ code: Int32) {
        let isFirst = abortion.compareExchange(
            expected: 0, desired: code, ordering: .releasing
        ).exchanged
        if isFirst { channel.descriptor.sweep(Context.current) }
    }

    /// Makes the runner call the handler with the available bytes.
    func requestCall() {
        isCallDue.store(true, ordering: .relaxed)
        channel.descriptor.wake(self, Context.current)
    }
}
