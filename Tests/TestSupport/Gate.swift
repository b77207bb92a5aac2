/// A gate that starts closed. Threads wait at it until it is opened.
package final class Gate: Sendable {
    private let isOpen = Watched(false)

    package init() {}

    package func open() {
        isOpen.update { $0 = true }
    }

    /// Waits at the gate, with a timeout. A test whose gate is never opened fails elsewhere.
    package func pass() {
        _ = isOpen.wait(seconds: 2 * Patience.seconds) { $0 }
    }

    package var wasOpened: Bool { isOpen.value }

    package func waitUntilOpen(seconds: Int) -> Bool {
        isOpen.wait(seconds: seconds) { $0 }
    }
}
