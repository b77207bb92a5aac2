internal import LinuxPlatform
internal import Synchronization

/// A read or write source: reports when a descriptor is ready.
final class DescriptorSource: SourceCore, DescriptorWaiter {
    // Safety: `pending` is atomic, the descriptor and the direction are constant, and the rest
    // belongs to the invoker.
    enum Direction {
        case read
        case write
    }

    let descriptor: Int32
    let direction: Direction
    /// The poll events of the last wait, or a negated errno; 0: none. The loop's store (releasing)
    /// pairs with the invoker's load (acquiring). The loop stores only while the source is armed,
    /// the invoker only while it is not.
    private let pending = Atomic<Int32>(0)
    @exclusivity(unchecked) private var latched: Int32 = 0
    /// The loop that waits for the descriptor; nil before the first wait.
    @exclusivity(unchecked) private var loop: EventLoop?
    /// The value of `data` for this call of the handler; negative: not computed yet.
    @exclusivity(unchecked) private var estimate = -1
    @exclusivity(unchecked) private var end = End.unknown

    /// State of the descriptor's end: the end of the file, a hang-up, or an error.
    private enum End: UInt8 {
        /// Unknown whether poll(2) shows the end.
        case unknown
        /// poll(2) shows the end, which is not reached yet.
        case shown
        /// poll(2) does not show the end (of a regular file): only the count of bytes does.
        case hidden
        /// This event reports the end to the handler.
        case comes
        /// The end was reported and still holds. The kernel would report it for ever.
        case reported
    }

    init(_ descriptor: Int32, _ direction: Direction, _ queue: DispatchQueue?) {
        self.descriptor = descriptor
        self.direction = direction
        super.init(queue: queue, hasKernelEvents: true)
    }

    override var purpose: String {
        "\(direction) source of descriptor \(descriptor)"
    }

    override var handle: UInt { UInt(truncatingIfNeeded: descriptor) }

    // MARK: for the invoker

    override func latch() -> Bool {
        estimate = -1
        latched = pending.load(ordering: .acquiring)
        if latched == 0 {
            // No event: the program resumed the source, for example. The end may be reported again.
            if end == .reported { end = .unknown }
            return false
        }
        // The wait ended with this event: the loop stores nothing until the next `arm`.
        pending.store(0, ordering: .relaxed)
        checkForEnd(UInt32(bitPattern: latched))
        return true
    }

    private static let endEvents =
        PollEvents.error | PollEvents.hangUp | PollEvents.invalid | PollEvents.readHangUp

    @inline(__always)
    private func checkForEnd(_ events: UInt32) {
        if latched >= 0 && events & DescriptorSource.endEvents == 0 && end == .shown { return }
        examineEnd(events)
    }

    @inline(never)
    private func examineEnd(_ events: UInt32) {
        guard latched >= 0 else { return }
        if end == .unknown {
            end = direction == .read && Descriptors.hidesItsEnd(descriptor) ? .hidden : .shown
        }
        guard end == .hidden || events & DescriptorSource.endEvents != 0 else { return }
        estimate = Int(clamping: ask(atEnd: 0))
        if direction == .write || estimate == 0 { end = .comes }
    }

    /// Whether the reported end still holds.
    private func isStillAtEnd() -> Bool {
        if direction == .read && Descriptors.hidesItsEnd(descriptor) {
            return Descriptors.bytesReadable(inFile: descriptor) ?? 0 == 0
        }
        let events = Descriptors.poll(descriptor, events: pollEvents)
        guard events & DescriptorSource.endEvents != 0 else { return false }
        return direction == .write || Descriptors.bytesReadable(descriptor) ?? 0 == 0
    }

    private var pollEvents: UInt32 {
        direction == .read
            ? PollEvents.readable | PollEvents.readHangUp : PollEvents.writable
    }

    override func arm(_ context: Context) -> Bool {
        // After an error of the wait itself no event can follow.
        guard latched >= 0 else { return false }
        if end == .comes { end = isStillAtEnd() ? .reported : .unknown }
        if end == .reported { return false }
        let isFirst = loop == nil
        let home = loop ?? Runtime.shared.loopForNewSource()
        loop = home
        let wait = DescriptorWait(for: pollEvents, by: self)
        let code = home.begin(wait, for: descriptor, isFirst: isFirst)
        if code != 0 {
            // A regular file, a directory or a block device: poll(2) calls them ready at all times.
            let ready = pollEvents & ~PollEvents.readHangUp
            ended(code == ErrorCode.notPermitted ? Int32(ready) : -code, context)
        }
        return true
    }

    override func detach() {
        guard let loop else { return }
        loop.readiness.cancelWait(by: self, for: descriptor)
        loop.readiness.release(descriptor)
        self.loop = nil
    }

    func waitEnded(_ events: UInt32, _ context: Context) {
        ended(Int32(bitPattern: events), context)
    }

    private func ended(_ result: Int32, _ context: Context) {
        pending.store(result, ordering: .releasing)
        wake(context, disarms: true)
    }

    /// Bytes to read, or room to write; 0 at the end of the file, after a hang-up and after an
    /// error.
    override var data: UInt {
        if estimate < 0 { estimate = Int(clamping: ask(atEnd: 1)) }
        return UInt(estimate)
    }

    /// - Parameter atEnd: the result if the kernel has no count.
    private func ask(atEnd: UInt) -> UInt {
        if latched < 0 { return 0 }
        let count =
            direction == .write
            ? Descriptors.bytesWritable(descriptor)
            : end == .hidden
                ? Descriptors.bytesReadable(inFile: descriptor)
                : Descriptors.bytesReadable(descriptor)
        return count ?? atEnd
    }
}
