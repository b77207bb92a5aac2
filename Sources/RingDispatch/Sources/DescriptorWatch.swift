internal import Ring

/// One descriptor as a lane's kernel watches it for a source.
final class DescriptorWatch: @unchecked Sendable {
    // Safety: `lane` is written by the source's invoker before it asks for the start; the flags
    // belong to that lane, and change lanes only while the watch is not out.
    let descriptor: Int32
    let events: UInt32
    let source: DescriptorSource
    var lane: Lane
    private var isOut = false
    private var isRetiring = false

    init(descriptor: Int32, events: UInt32, source: DescriptorSource, lane: Lane) {
        self.descriptor = descriptor
        self.events = events
        self.source = source
        self.lane = lane
    }

    private var token: UInt64 {
        UInt64(UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()))
    }

    /// On the lane's own thread: the kernel holds a reference until the watch has ended.
    func start() {
        guard !isRetiring else {
            end()
            return
        }
        isOut = true
        _ = Unmanaged.passRetained(self)
        lane.watch(descriptor: descriptor, events: events, token: token)
    }

    /// On the lane's own thread, because the source was cancelled.
    func retire() {
        isRetiring = true
        if isOut {
            // What it was waiting for may come all the same; the completion tells in either case.
            lane.cancelWatch(descriptor: descriptor, token: token)
        } else if !source.current.isArmed {
            end()
        }
        // Else its start is on its way here, and ends it.
    }

    /// The kernel has let go of the descriptor.
    private func end() {
        lane.kernel.release(descriptor: descriptor)
        source.released(Context.current)
    }

    /// On the lane's own thread: the kernel is done with the watch.
    static func completed(_ completion: Completion, _ context: Context) {
        guard let memory = UnsafeRawPointer(bitPattern: UInt(completion.token)) else { return }
        let watch = Unmanaged<DescriptorWatch>.fromOpaque(memory).takeRetainedValue()
        watch.isOut = false
        if watch.isRetiring {
            watch.end()
        } else {
            watch.source.completed(result: completion.result, context)
        }
    }
}
