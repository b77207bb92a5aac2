internal import LinuxPlatform
internal import Synchronization

/// A read or write source: reports when a descriptor is ready.
final class DescriptorSource: SourceCore, @unchecked Sendable {
    // Safety: `latched`, `estimate`, `loop`, `hasAsked` are the invoker's; what belongs to the loop
    // says so; the rest is atomic.
    enum Direction {
        case read
        case write
    }

    let descriptor: Int32
    let direction: Direction
    /// The invoker has asked the loop to retire the watch.
    @exclusivity(unchecked) private var hasAsked = false
    /// The watch was handed to the kernel. The loop's, like the next one: they change loops only
    /// while the watch is not out.
    @exclusivity(unchecked) private var isOut = false
    @exclusivity(unchecked) private var isRetiring = false
    /// The loop has done what `hasAsked` says: its store (releasing) pairs with the invoker's load
    /// (acquiring).
    private let isReleased = Atomic<Bool>(false)
    /// The poll events that came, or a negated errno; 0: none. The completion's store (releasing)
    /// pairs with the invoker's load (acquiring); nobody stores while the other may.
    private let pending = Atomic<Int32>(0)
    @exclusivity(unchecked) private var latched: Int32 = 0
    /// The loop whose kernel watches the descriptor; nil: none has yet.
    @exclusivity(unchecked) private(set) var loop: EventLoop?
    /// The next one on a `RearmList`.
    @exclusivity(unchecked) var nextToRearm: Unmanaged<DescriptorSource>?
    /// The `data` that the handler has read; negative: it has not asked yet.
    @exclusivity(unchecked) private var estimate = -1
    @exclusivity(unchecked) private var end = End.unknown

    /// What is known of the descriptor's end: the end of the file, a hang-up, or an error.
    private enum End: UInt8 {
        /// Nobody has looked whether poll(2) shows it.
        case unknown
        /// poll(2) shows it, and it has not come.
        case shown
        /// A regular file: only the count of bytes tells.
        case hidden
        /// This event reports it to the handler.
        case comes
        /// It was reported, and nothing has changed since: the kernel would report it for ever.
        case told
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
            // The program did something else than wait: it may ask again.
            if end == .told { end = .unknown }
            return false
        }
        // The watch ended with it: the loop stores nothing more until the source is armed again.
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

    /// Whether the end that the handler has seen still holds.
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
        // After an error of the watch itself there is nothing more to come.
        guard latched >= 0 else { return false }
        if end == .comes { end = isStillAtEnd() ? .told : .unknown }
        if end == .told { return false }
        let home = loop ?? Runtime.loopForNewSource()
        if isOnQueue, let here = context.pointee.loop, here.isHeld(by: context), !here.isBackground
        {
            loop = home.registrationsMigrate ? here : home
            // The thread's own list holds the reference until the thread is back in its loop: what
            // keeps it from there keeps the source's queue as well.
            let reference = spare ?? Unmanaged.passRetained(self)
            spare = nil
            context.pointee.rearm.append(.fromOpaque(reference.toOpaque()))
        } else {
            loop = home
            home.request(.watch(Unmanaged.passRetained(self)), from: context)
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

    /// What `data` reports: bytes to read, or room to write; 0 at the end of the file, after
    /// a hang-up and after an error.
    var data: UInt {
        if estimate < 0 { estimate = Int(clamping: ask(atEnd: 1)) }
        return UInt(estimate)
    }

    /// - Parameter atEnd: the answer where the kernel has none.
    private func ask(atEnd: UInt) -> UInt {
        if latched < 0 { return 0 }
        if direction == .read { return Descriptors.bytesReadable(descriptor) ?? atEnd }
        return Descriptors.bytesWritable(descriptor) ?? atEnd
    }

    // MARK: on the loop

    /// Hands the watch to the kernel, with a reference that keeps the source until it has ended.
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

    /// Has the source's own loop start the watch.
    static func requestStart(_ reference: Unmanaged<DescriptorSource>, _ context: Context) {
        reference._withUnsafeGuaranteedRef { $0.loop }?.request(.watch(reference), from: context)
    }

    /// False when the loop is another's, or the source was cancelled.
    @inline(__always)
    private func begin(on loop: EventLoop, _ reference: Unmanaged<DescriptorSource>) -> Bool {
        guard self.loop == loop else { return false }
        guard !isRetiring else {
            finish()
            return false
        }
        isOut = true
        loop.register(
            descriptor: descriptor, events: pollEvents, token: CompletionToken.watch(reference))
        return true
    }

    /// The kernel is done with the watch that `start` began; takes its reference over.
    @inline(__always)
    static func completed(
        _ reference: Unmanaged<DescriptorSource>, result: Int32, _ context: Context
    ) {
        let isWanted = reference._withUnsafeGuaranteedRef { source -> Bool in
            source.isOut = false
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

    /// The source was cancelled: ends the watch, forgets the descriptor, then tells the source.
    func retire() {
        isRetiring = true
        if isOut {
            // What it was waiting for may come all the same; the completion tells in either case.
            let token = CompletionToken.watch(Unmanaged.passUnretained(self))
            loop?.cancelRegistration(descriptor: descriptor, token: token)
        } else if !current.isArmed {
            finish()
        }
        // Else its start is on its way here, and ends it.
    }

    /// The kernel has let go of the descriptor.
    private func finish() {
        loop?.release(descriptor: descriptor)
        isReleased.store(true, ordering: .releasing)
        wake(Context.current)
    }
}
