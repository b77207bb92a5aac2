/// Makes a loop forget a descriptor.
final class DescriptorRelease: LoopOperation, @unchecked Sendable {
    // Safety: immutable.
    private let descriptor: Int32
    private let done: @Sendable (Context) -> Void

    /// - Parameter done: called on the loop, afterwards.
    init(_ descriptor: Int32, done: @escaping @Sendable (Context) -> Void) {
        self.descriptor = descriptor
        self.done = done
        super.init()
    }

    override func begin(on loop: EventLoop) {
        loop.release(descriptor: descriptor)
        done(Context.current)
    }
}
