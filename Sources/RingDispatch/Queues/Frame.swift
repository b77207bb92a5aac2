internal import LinuxPlatform

/// A queue that the thread is running on, linked to the enclosing one.
@usableFromInline
struct Frame {
    let queue: Unmanaged<DispatchQueue>
    var parent: UnsafeMutablePointer<Frame>?
    /// The frame belongs to a drain, which checks the queue's inbox before it releases the queue.
    let isDrain: Bool
}

extension Frame {
    /// For a `sync`. `beginSync` sets the parent.
    @usableFromInline
    init(sync queue: DispatchQueue) {
        self.init(queue: .passUnretained(queue), parent: nil, isDrain: false)
    }
}

extension ThreadContext {
    /// The innermost queue that the thread is running on.
    @inline(__always)
    var frame: UnsafeMutablePointer<Frame>? {
        get { frameAddress?.assumingMemoryBound(to: Frame.self) }
        set { frameAddress = UnsafeMutableRawPointer(newValue) }
    }
}

/// Runs `body` with `queue` as the thread's innermost queue, which other threads may read.
///
/// A `sync` has a frame, but announces no queue. So do not call this inside a `sync` of the same
/// thread: the queue of the `sync` would be announced at the end. The caller keeps the queue alive.
@inline(__always)
func withFrame(
    _ queue: Unmanaged<DispatchQueue>, isDrain: Bool, _ context: Context, _ body: () -> Void
) {
    var frame = Frame(queue: queue, parent: context.pointee.frame, isDrain: isDrain)
    withUnsafeMutablePointer(to: &frame) { frame in
        let threadHandle = context.pointee.threadHandle
        context.pointee.frame = frame
        // Before the queue is announced: a thread that sees the queue sees a new item.
        context.beginItem()
        threadHandle.announce(queue.toOpaque())
        let start = Trace.begin()
        body()
        if start != 0 { trace(queue, from: start, context) }
        context.pointee.frame = frame.pointee.parent
        threadHandle.announce(frame.pointee.parent?.pointee.queue.toOpaque())
    }
}

/// The same for what a global or concurrent queue runs; see `BlockingHistory`.
@inline(__always)
func withSharedFrame(
    _ queue: Unmanaged<DispatchQueue>, isDrain: Bool = false, _ context: Context,
    _ body: () -> Void
) {
    Runtime.shared.pool.blocks.run(context) {
        withFrame(queue, isDrain: isDrain, context, body)
    }
}

@inline(never)
private func trace(_ queue: Unmanaged<DispatchQueue>, from start: UInt64, _ context: Context) {
    let label = queue._withUnsafeGuaranteedRef { $0.label }
    Trace.record(.queue, .queue(label), from: start, to: Ticks.now(), context)
}
