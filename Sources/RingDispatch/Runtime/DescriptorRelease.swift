/// Has a lane forget a descriptor.
final class DescriptorRelease: LaneOperation, @unchecked Sendable {
    // Safety: immutable.
    private let descriptor: Int32
    private let done: @Sendable (Context) -> Void

    /// - Parameter done: called on the lane, afterwards.
    init(_ descriptor: Int32, done: @escaping @Sendable (Context) -> Void) {
        self.descriptor = descriptor
        self.done = done
        super.init()
    }

    override func begin(on lane: Lane) {
        lane.release(descriptor: descriptor)
        done(Context.current)
    }
}
