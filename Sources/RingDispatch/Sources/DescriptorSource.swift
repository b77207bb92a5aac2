internal import LinuxPlatform
internal import Synchronization

/// A read or write source: reports when a descriptor is ready.
final class DescriptorSource: SourceCore, @unchecked Sendable {
    // Safety: `latched`, `estimate`, `end`, `loop` and `hasAsked` belong to the invoker,
    // `isInFlight` and `isRetiring` to the loop; `nextToRearm` to the list's thread; the rest is
    // atomic.
    enum Direction {
        case read
        case write
    }

    let descriptor: Int32
    let direction: Direction
    /// The invoker has asked the loop to retire the registration.
    @exclusivity(unchecked) private var hasAsked = false
    /// The registration is in flight. This and `isRetiring` move to another loop only while it is
    /// not.
    @exclusivity(unchecked) private var isInFlight = false
    @exclusivity(unchecked) private var isRetiring = false
    /// The loop has retired the registration. Its store (releasing) pairs with the invoker's load
    /// (acquiring).
    private let isReleased = Atomic<Bool>(false)
    /// The poll events of the last completion, or a negated errno; 0: none. The completion's store
    /// (releasing) pairs with the invoker's load (acquiring). The loop stores only while the source
    /// is armed, the invoker only while it is not.
    private let pending = Atomic<Int32>(0)
    @exclusivity(unchecked) private var latched: Int32 = 0
    /// The loop whose back end has the registration; nil before the first one.
    @exclusivity(unchecked) private(set) var loop: EventLoop?
    /// Link of a `RearmList`.
    @exclusivity(unchecked) var nextToRearm: Unmanaged<DescriptorSource>?
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

    init(descriptor: Int32, direction: Direction, queue: DispatchQueue?) {
        self.descriptor = descriptor
        self.direction = direction
        super.init(queue: queue, hasKernelEvents: true)
    }

    override var purpose: String {
        "\(direction) source of descriptor \(descriptor)"
    }

    // MARK: for the invoker

    override func latch() -> Bool {
        estimate = -1
        latched = pending.load(ordering: .acquiring)
        if latched == 0 {
            // No event: the program resumed the source, for example. The end may be reported again.
            if end == .reported { end = .unknown }
            return false
        }
        // The registration ended with this event: the loop stores nothing until the next `arm`.
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
            return Descriptors.bytesReadable(descriptor) ?? 0 == 0
        }
        let events = Descriptors.poll(descriptor, events: pollEvents)
        guard events & DescriptorSource.endEvents != 0 else { return false }
        return direction == .write || Descriptors.bytesReadable(descriptor) ?? 0 == 0
    }

    private var pollEvents: UInt32 {
        direction == .read
            ? PollEvents.readable | PollEvents.readHangUp : PollEvents.writable
    }

    override func arm(
        _ context: Context, isOnQueue: Bool, _ spare: inout Unmanaged<SourceCore>?
    ) -> Bool {
        // After an error of the registration itself no event can follow.
        guard latched >= 0 else { return false }
        if end == .comes { end = isStillAtEnd() ? .reported : .unknown }
        if end == .reported { return false }
        let home = loop ?? Runtime.loopForNewSource()
        if isOnQueue, let here = context.pointee.loop, here.isHeld(by: context), !here.isBackground
        {
            loop = home.registrationsMigrate ? here : home
            // Register when the thread is back in its loop. Until then it keeps the source's queue
            // busy, so no handler could run earlier.
            let reference = spare ?? Unmanaged.passRetained(self)
            spare = nil
            context.pointee.rearm.append(.fromOpaque(reference.toOpaque()))
        } else {
            loop = home
            home.request(.register(Unmanaged.passRetained(self)), from: context)
        }
        return true
    }

    override func detach(wasInstalled: Bool, _ context: Context) -> Bool {
        guard let loop, wasInstalled else { return true }
        if isReleased.load(ordering: .acquiring) { return true }
        if !hasAsked {
            hasAsked = true
            loop.request(.retire(self), from: context)
        }
        return false
    }

    /// Bytes to read, or room to write; 0 at the end of the file, after a hang-up and after an
    /// error.
    var data: UInt {
        if estimate < 0 { estimate = Int(clamping: ask(atEnd: 1)) }
        return UInt(estimate)
    }

    /// - Parameter atEnd: the result if the kernel has no count.
    private func ask(atEnd: UInt) -> UInt {
        if latched < 0 { return 0 }
        if direction == .read { return Descriptors.bytesReadable(descriptor) ?? atEnd }
        return Descriptors.bytesWritable(descriptor) ?? atEnd
    }

    // MARK: on the loop

    /// Registers the descriptor with the back end. The reference keeps the source until the
    /// completion.
    @inline(__always)
    static func start(
        _ reference: Unmanaged<DescriptorSource>, on loop: EventLoop, _ context: Context
    ) {
        let (isHere, isWanted) = reference._withUnsafeGuaranteedRef { source in
            (source.loop == loop, source.begin(on: loop, reference))
        }
        if isWanted { return }
        if isHere { reference.release() } else { requestStart(reference, context) }
    }

    /// Asks the source's own loop to register the descriptor.
    static func requestStart(_ reference: Unmanaged<DescriptorSource>, _ context: Context) {
        reference._withUnsafeGuaranteedRef { $0.loop }?.request(.register(reference), from: context)
    }

    /// Returns false if the source belongs to another loop or was cancelled.
    @inline(__always)
    private func begin(on loop: EventLoop, _ reference: Unmanaged<DescriptorSource>) -> Bool {
        guard self.loop == loop else { return false }
        guard !isRetiring else {
            finish()
            return false
        }
        isInFlight = true
        loop.register(
            descriptor: descriptor, events: pollEvents,
            token: CompletionToken.registration(reference))
        return true
    }

    /// Handles the completion of the registration that `start` began; consumes its reference.
    @inline(__always)
    static func completed(
        _ reference: Unmanaged<DescriptorSource>, result: Int32, _ context: Context
    ) {
        let isWanted = reference._withUnsafeGuaranteedRef { source -> Bool in
            source.isInFlight = false
            if source.isRetiring {
                source.finish()
                return false
            }
            if result != 0 { source.pending.store(result, ordering: .releasing) }
            return true
        }
        if isWanted {
            SourceCore.disarmAndWake(.fromOpaque(reference.toOpaque()), context)
        } else {
            reference.release()
        }
    }

    /// After a cancel: ends the registration, makes the back end forget the descriptor, and wakes
    /// the source.
    func retire() {
        isRetiring = true
        if isInFlight {
            // The event may still arrive first; the completion calls `finish` in either case.
            let token = CompletionToken.registration(Unmanaged.passUnretained(self))
            loop?.cancelRegistration(descriptor: descriptor, token: token)
        } else if !current.isArmed {
            finish()
        }
        // Otherwise a start request is on its way to this loop, and `begin` calls `finish`.
    }

    /// The back end no longer uses the descriptor.
    private func finish() {
        loop?.release(descriptor: descriptor)
        isReleased.store(true, ordering: .releasing)
        wake(Context.current)
    }
}
