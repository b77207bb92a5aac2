/// A gate that starts closed. Threads wait at it until it is opened.
final class Gate: Sendable {
    private let isOpen = Watched(false)

    func open() {
        isOpen.update { $0 = true }
    }

    /// Waits at the gate, with a timeout. A test whose gate is never opened fails elsewhere.
    func pass() {
        _ = isOpen.wait(seconds: 2 * Patience.seconds) { $0 }
    }

    var wasOpened: Bool { isOpen.value }

    func waitUntilOpen(seconds: Int) -> Bool {
        isOpen.wait(seconds: seconds) { $0 }
    }
}
