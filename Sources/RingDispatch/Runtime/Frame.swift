/// A queue that the thread is running on, linked to the enclosing one.
struct Frame {
    let queue: Unmanaged<DispatchQueue>
    let parent: UnsafeMutablePointer<Frame>?
    /// The frame belongs to a drain, which checks the queue's inbox before it releases the queue.
    let isDrain: Bool
    /// No other work runs on the queue at the same time.
    let isExclusive: Bool
}

/// Runs `body` with `queue` as the thread's innermost queue.
@inline(__always)
func withFrame(
    _ queue: Unmanaged<DispatchQueue>, isDrain: Bool, isExclusive: Bool, _ context: Context,
    _ body: () -> Void
) {
    var frame = Frame(
        queue: queue, parent: context.pointee.frame, isDrain: isDrain, isExclusive: isExclusive)
    withUnsafeMutablePointer(to: &frame) { frame in
        let threadHandle = context.pointee.threadHandle
        context.pointee.frame = frame
        threadHandle.announce(queue.toOpaque())
        threadHandle.noteItem()
        body()
        context.pointee.frame = frame.pointee.parent
        threadHandle.announce(frame.pointee.parent?.pointee.queue.toOpaque())
    }
}
