// A suspended queue accepts work, and runs none until it is resumed.
import RingDispatch

final class Outbox: @unchecked Sendable {
    // Safety: only the queue touches `sent`.
    private let queue = DispatchQueue(label: "outbox")
    private var sent: [String] = []

    /// Holds messages back. Suspensions nest: each call needs a matching `connected()`.
    func disconnected() { queue.suspend() }
    func connected() { queue.resume() }

    func send(_ message: String) {
        queue.async { self.sent.append(message) }
    }

    func report(_ completion: @escaping @Sendable ([String]) -> Void) {
        queue.async { completion(self.sent) }
    }
}

// snippet.hide
let outbox = Outbox()
let reported = DispatchSemaphore(value: 0)
outbox.send("one")
outbox.disconnected()
outbox.send("two")
outbox.report { sent in
    precondition(sent == ["one", "two"])
    print("sent:", sent.joined(separator: ", "))
    reported.signal()
}
// Nothing runs while the queue is suspended.
precondition(reported.wait(timeout: .now() + .milliseconds(20)) == .timedOut)
outbox.connected()
precondition(reported.wait(timeout: .now() + 30) == .success)
