/// A queue that the thread runs on, linked to the one outside it.
struct Frame {
    let queue: Unmanaged<DispatchQueue>
    let parent: UnsafeMutablePointer<Frame>?
    /// The frame's loop looks at the queue's inbox again before it lets the queue go.
    let isDrain: Bool
    /// Nothing else runs on the queue meanwhile.
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
        context.pointee.frame = frame
        body()
        context.pointee.frame = frame.pointee.parent
    }
}
