internal import LinuxPlatform
internal import RingDispatch

// Receiving where it takes more than to call the handler. On the queue.
extension Connection {
    /// While the program awaits nothing, so much is received ahead.
    private static let awaitAheadBytes = 16 * 1024

    /// Bytes came that cannot be handed over just as they are.
    func receiveSpecially(_ bytes: UnsafeRawBufferPointer) {
        let extras = makeExtras()
        if let layer = extras.layer { return receiveSecured(bytes, extras, layer) }
        guard phase == .active else { return }
        if extras.gathered.isEmpty, mayHandOver, bytes.count >= extras.receiveMinimumBytes {
            extras.isDelivering = true
            let rest = handOver(bytes, extras)
            extras.isDelivering = false
            extras.gathered.append(contentsOf: rest)
        } else {
            extras.gathered.append(contentsOf: bytes)
        }
        updateReceiving()
    }

    /// The peer sends nothing more. The program is told behind all that came.
    func receivedEnd() {
        guard phase == .active, !hasEnded else { return }
        hasEnded = true
        guard let extras else { return tellEnd() }
        extras.isEndHeld = true
        updateReceiving()
    }

    private func tellEnd() {
        if let end = handlers.end { end(self) } else { beginClose(.ended) }
    }

    /// `updateReceiving` for a connection with extras.
    func updateReceiving(_ extras: ConnectionExtras) {
        // Once the handler has returned.
        if extras.isDelivering { return }
        handOverGathered(extras)
        updateReceiveLimit()
        guard let receiver, !hasEnded, phase == .active || isHandshaking, phase != .setup,
            !isTearingDown
        else { return }
        if !wantsToReceive {
            extras.hasPaused = true
            receiver.pause()
        } else if receiver.isPaused {
            extras.hasPaused = true
            receiver.resume()
        } else {
            receiver.start()
        }
    }

    /// Whether it is for the peer to send something.
    var wantsToReceive: Bool {
        if isHandshaking { return true }
        guard phase == .active, !hasEnded, pauses == 0, !isHeldBack else { return false }
        if handlers.receive != nil { return true }
        guard let extras, extras.isAwaited else { return false }
        return extras.waiter != nil || extras.gathered.count < Connection.awaitAheadBytes
    }

    /// It receives although nobody waits for it.
    var receivesAhead: Bool {
        guard let extras, extras.isAwaited else { return false }
        return extras.waiter == nil && handlers.receive == nil
    }

    var isHeldBack: Bool { isBackedUp && pausesReceivingWhileUnwritable }

    private var mayHandOver: Bool {
        handlers.receive != nil && phase == .active && pauses == 0 && !isHeldBack
    }

    /// Whether what comes has to take the way over `gathered`.
    func updateReceiveLimit() {
        guard let extras else { return }
        let isSpecial =
            isSecured || extras.isAwaited || extras.receiveMinimumBytes > 1
            || !extras.gathered.isEmpty
        receiveLimit = isSpecial ? -1 : receiveMaximumBytes
    }

    private func handOverGathered(_ extras: ConnectionExtras) {
        answerWaiter(extras)
        while !extras.gathered.isEmpty, mayHandOver,
            extras.gathered.count >= extras.receiveMinimumBytes || extras.isEndHeld
        {
            let bytes = extras.gathered
            extras.gathered = []
            extras.isDelivering = true
            let rest = bytes.withUnsafeBytes { Array(handOver($0, extras)) }
            extras.isDelivering = false
            // Nothing came meanwhile: whoever resumes waits for the end of this.
            extras.gathered = rest
        }
        if phase != .active && !extras.isAwaited { extras.gathered = [] }
        guard extras.isEndHeld, phase == .active, !extras.isAwaited, extras.gathered.isEmpty,
            isSecured ? mayHandOver : true
        else { return }
        extras.isEndHeld = false
        tellEnd()
    }

    /// Gives the handler slices as long as it wants them, and returns what it does not.
    private func handOver(
        _ bytes: UnsafeRawBufferPointer, _ extras: ConnectionExtras
    ) -> UnsafeRawBufferPointer {
        let most = max(receiveMaximumBytes, extras.receiveMinimumBytes)
        var rest = bytes
        while !rest.isEmpty, mayHandOver, let handler = handlers.receive {
            let slice = UnsafeRawBufferPointer(rebasing: rest.prefix(most))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(slice.count))
            handler(self, RawSpan(_unsafeBytes: slice))
        }
        return phase == .active ? rest : UnsafeRawBufferPointer(start: nil, count: 0)
    }

    /// Bytes are gathered until so many are there, or the peer sends nothing more; see
    /// ``ConnectionOptions/receiveMinimumBytes``.
    public func setReceiveMinimumBytes(_ count: Int) {
        onQueue { connection in
            connection.makeExtras().receiveMinimumBytes = max(1, count)
            connection.updateReceiving()
        }
    }
}
