internal import LinuxPlatform
internal import RingDispatch

// The receive paths that do more than call the handler. On the queue.
extension Connection {
    /// Handles bytes that cannot go straight to the receive handler.
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

    /// The peer ended its stream. The end is reported after all bytes received before it.
    func receivedEnd() {
        guard phase == .active, !hasEnded else { return }
        hasEnded = true
        guard let extras else { return reportEnd() }
        extras.isEndHeld = true
        updateReceiving()
    }

    private func reportEnd() {
        if let end = handlers.end { end(self) } else { beginClose(.ended) }
    }

    /// `updateReceiving` for a connection with extras.
    func updateReceiving(_ extras: ConnectionExtras) {
        // The handler is running; its caller updates again once the handler has returned.
        if extras.isDelivering { return }
        handOverGathered(extras)
        updateReceiveLimit()
        guard let receiver, !hasEnded, phase == .active || isHandshaking, phase != .setup,
            phase != .closed
        else { return }
        if wantsToReceive {
            if receiver.isPaused && receiver.isWatching { extras.hasPaused = true }
            receiver.resume()
        } else {
            extras.hasPaused = true
            receiver.pause()
            receiver.watch()
        }
    }

    /// Whether the connection accepts bytes from its peer now.
    var wantsToReceive: Bool {
        if isHandshaking { return true }
        guard phase == .active, !hasEnded, pauses == 0, !isHeldBack else { return false }
        return handlers.receive != nil
    }

    var isHeldBack: Bool { isBackedUp && pausesReceivingWhileUnwritable }

    private var mayHandOver: Bool {
        handlers.receive != nil && phase == .active && pauses == 0 && !isHeldBack
    }

    /// Sets the limit above which received bytes go through `gathered`.
    func updateReceiveLimit() {
        guard let extras else { return }
        let isSpecial =
            isSecured || extras.receiveMinimumBytes > 1 || !extras.gathered.isEmpty
        receiveLimit = isSpecial ? -1 : receiveMaximumBytes
    }

    private func handOverGathered(_ extras: ConnectionExtras) {
        while !extras.gathered.isEmpty, mayHandOver,
            extras.gathered.count >= extras.receiveMinimumBytes || extras.isEndHeld
        {
            let bytes = extras.gathered
            extras.gathered = []
            extras.isDelivering = true
            let rest = bytes.withUnsafeBytes { Array(handOver($0, extras)) }
            extras.isDelivering = false
            // Nothing was gathered meanwhile: receiving resumes only after the handler has
            // returned.
            extras.gathered = rest
        }
        if phase != .active { extras.gathered = [] }
        guard extras.isEndHeld, phase == .active, extras.gathered.isEmpty,
            isSecured ? mayHandOver : true
        else { return }
        extras.isEndHeld = false
        reportEnd()
    }

    /// Passes slices to the handler as long as it accepts them, and returns the rest.
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

    /// Sets the least number of bytes that the receive handler gets at once; see
    /// ``ConnectionOptions/receiveMinimumBytes``.
    public func setReceiveMinimumBytes(_ count: Int) {
        onQueue { connection in
            connection.makeExtras().receiveMinimumBytes = max(1, count)
            connection.updateReceiving()
        }
    }
}
