/// A gate that starts closed: whoever passes it waits until somebody opens it.
final class Gate: Sendable {
    private let isOpen = Watched(false)

    func open() {
        isOpen.update { $0 = true }
    }

    /// Waits at the gate. A test whose gate is never opened fails elsewhere, so that this gives up
    /// quietly after a while instead of holding its thread for ever.
    func pass() {
        _ = isOpen.wait(seconds: 2 * Patience.seconds) { $0 }
    }

    var wasOpened: Bool { isOpen.value }

    func waitUntilOpen(seconds: Int) -> Bool {
        isOpen.wait(seconds: seconds) { $0 }
    }
}
