internal import Ring
internal import Synchronization

/// A read or write source: tells when a descriptor is ready.
final class DescriptorSource: SourceCore, @unchecked Sendable {
    // Safety: `latched`, `estimate`, `watch`, `hasAsked` are the invoker's; the rest is atomic.
    enum Direction {
        case read
        case write
    }

    let descriptor: Int32
    let direction: Direction
    private var watch: DescriptorWatch?
    /// The poll events that came, or a negated errno; 0: none. The completion's exchange
    /// (releasing) pairs with the invoker's (acquiring).
    private let pending = Atomic<Int32>(0)
    @exclusivity(unchecked) private var latched: Int32 = 0
    @exclusivity(unchecked) private var estimate: UInt?
    /// The invoker has asked the lane to retire the watch.
    @exclusivity(unchecked) private var hasAsked = false
    /// The lane has done so: its store (releasing) pairs with the invoker's load (acquiring).
    private let isReleased = Atomic<Bool>(false)

    init(descriptor: Int32, direction: Direction, queue: DispatchQueue?) {
        self.descriptor = descriptor
        self.direction = direction
        super.init(queue: queue, hasKernelEvents: true)
    }

    override var purpose: String {
        "\(direction) source of descriptor \(descriptor)"
    }

    override func latch() -> Bool {
        latched = pending.exchange(0, ordering: .acquiring)
        estimate = nil
        return latched != 0
    }

    override func arm(_ context: Context) -> Bool {
        // After an error of the watch itself there is nothing more to come.
        guard latched >= 0 else { return false }
        let watch = self.watch ?? makeWatch()
        if let lane = context.pointee.lane, lane.isHeld(by: context), !lane.isBackground {
            if lane.watchesMigrate { watch.lane = lane }
            context.pointee.rearm.append(watch)
        } else {
            watch.lane.request(.watch(watch), from: context)
        }
        return true
    }

    private func makeWatch() -> DescriptorWatch {
        let events = direction == .read ? PollEvents.readable : PollEvents.writable
        let watch = DescriptorWatch(
            descriptor: descriptor, events: events, source: self, lane: Runtime.laneForNewSource())
        self.watch = watch
        return watch
    }

    override func detach(wasInstalled: Bool, _ context: Context) -> Bool {
        guard let watch, wasInstalled else { return true }
        if isReleased.load(ordering: .acquiring) {
            self.watch = nil
            return true
        }
        if !hasAsked {
            hasAsked = true
            watch.lane.request(.retire(watch), from: context)
        }
        return false
    }

    /// On the lane: the watch ended.
    func completed(result: Int32, _ context: Context) {
        if result != 0 { pending.store(result, ordering: .releasing) }
        disarmed()
        wake(context)
    }

    /// On the lane: the kernel has let go of the descriptor.
    func released(_ context: Context) {
        isReleased.store(true, ordering: .releasing)
        wake(context)
    }

    /// What the handler is told: bytes to read, or room to write; 0 at the end of the file or
    /// after an error.
    var data: UInt {
        if let estimate { return estimate }
        let value: UInt
        if latched < 0 {
            value = 0
        } else if direction == .read {
            value = Descriptors.bytesReadable(descriptor) ?? 1
        } else {
            value = Descriptors.bytesWritable(descriptor) ?? 1
        }
        estimate = value
        return value
    }
}
