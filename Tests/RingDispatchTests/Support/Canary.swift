/// Tells when its last reference goes.
final class Canary: Sendable {
    private let onRelease: @Sendable () -> Void

    init(_ onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = onRelease
    }

    deinit { onRelease() }

    /// Something that a handler can do with it, so that it captures it.
    func keepAlive() {}
}
