/// Reports the release of its last reference.
final class Canary: Sendable {
    private let onRelease: @Sendable () -> Void

    init(_ onRelease: @escaping @Sendable () -> Void) {
        self.onRelease = onRelease
    }

    deinit { onRelease() }

    /// Lets a handler capture the canary.
    func keepAlive() {}
}
