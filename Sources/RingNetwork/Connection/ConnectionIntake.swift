/// The received bytes of a connection that gathers, divides or decrypts them before it calls the
/// handler. Belongs to the connection's queue.
final class ConnectionIntake {
    /// Bytes to gather before they are delivered.
    var minimumBytes = 1
    /// The most that one call of the handler gets, unless more were gathered.
    var maximumBytes = Int.max
    /// Received bytes, of which the first `taken` were delivered.
    private var bytes: [UInt8] = []
    private var taken = 0
    /// Gets the next bytes that are handed over, in place of the handler and even during a pause: a
    /// task receives.
    var taker: ((RawSpan) -> Void)?
    /// A receive handler is running.
    var isDelivering = false
    /// The peer ended its stream, and the end was not reported yet.
    var isEndHeld = false
    /// The held end is this error.
    var heldError: SocketError?

    /// The number of received bytes that were not delivered yet.
    var count: Int { bytes.count - taken }

    /// Enough bytes are gathered, or no more will come.
    var canHandOver: Bool {
        count > 0 && (count >= minimumBytes || isEndHeld)
    }

    func append(_ more: UnsafeRawBufferPointer) {
        bytes.removeFirst(taken)
        taken = 0
        bytes.append(contentsOf: more)
    }

    func removeAll() {
        bytes = []
        taken = 0
    }

    /// Calls `body` with the gathered bytes. It returns how many it leaves, the last ones. Nothing
    /// may be appended meanwhile.
    func consume(_ body: (UnsafeRawBufferPointer) -> Int) {
        // `body` may call `removeAll`.
        let bytes = bytes
        let start = taken
        taken = bytes.count
        let left = bytes[start...].withUnsafeBytes(body)
        if left == 0 { return removeAll() }
        taken -= left
        // So that a small rest keeps no large memory.
        if left < taken {
            self.bytes = Array(bytes[taken...])
            taken = 0
        }
    }
}
