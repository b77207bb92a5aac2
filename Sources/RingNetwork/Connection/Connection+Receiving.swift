internal import LinuxPlatform
internal import RingDispatch

// The way of received bytes. On the queue.
extension Connection {
    // MARK: StreamSocketClient

    package func received(_ bytes: UnsafeRawBufferPointer) {
        received(bytes) { confined.handlers.receive?(self, $0) }
    }

    @inline(__always)
    private func received(_ bytes: UnsafeRawBufferPointer, _ body: (RawSpan) -> Void) {
        counters.receives.add(1)
        counters.bytesReceived.add(UInt64(bytes.count))
        if let intake = confined.intake { return take(bytes, intake) }
        body(RawSpan(_unsafeBytes: bytes))
    }

    /// Receives once, for a task, if bytes were announced. `body` gets them; if an intake takes
    /// them, the first ones that it hands over.
    @inline(__always)
    func receiveNow(_ body: (RawSpan) -> Void) {
        guard phase == .active else { return }
        if let intake = confined.intake { return receiveNow(intake, body) }
        stream.receiveNow { received($0, body) }
    }

    private func receiveNow(_ intake: ConnectionIntake, _ body: (RawSpan) -> Void) {
        withoutActuallyEscaping(body) { body in
            intake.taker = body
            stream.receiveNow { received($0, body) }
            intake.taker = nil
        }
        updateReceiving()
    }

    package func becameReadable() {
        confined.pauses += 1
        // Only the clock asks whether receiving was paused.
        if confined.clock == nil {
            confined.handlers.receive?(self, RawSpan())
            return
        }
        let hadPaused = confined.hasPaused
        let start = Ticks.now()
        confined.handlers.receive?(self, RawSpan())
        // A task that waits again within the shortest tick has not paused.
        let shortest = TimeoutTracker.shortestTick / 1000 * Ticks.perMicrosecond
        let isBack = confined.pauses == 0 && Ticks.now() &- start < shortest
        confined.hasPaused = hadPaused || !isBack
    }

    package func receivingEnded(_ result: Int32) {
        guard phase == .active || isHandshaking, !confined.hasEnded else { return }
        if result < 0 {
            let error = SocketError("recv", -result)
            guard phase == .active, let intake = confined.intake, intake.count > 0 else {
                return tearDown(.failed(error))
            }
            intake.heldError = error
            receivedEnd()
        } else if let failure = confined.security?.receiveEnd() {
            fail(failure)
        } else {
            receivedEnd()
        }
    }

    package func watchingFailed(_ code: Int32) {
        tearDown(.failed(SocketError("epoll_ctl", code)))
    }

    // MARK: the intake

    private func take(_ bytes: UnsafeRawBufferPointer, _ intake: ConnectionIntake) {
        if let security = confined.security { return receiveSecured(bytes, intake, security) }
        gather(bytes, intake)
        updateReceiving()
    }

    /// Hands bytes over, or keeps them. A closing connection needs none.
    func gather(_ bytes: UnsafeRawBufferPointer, _ intake: ConnectionIntake) {
        guard phase == .active else { return }
        if intake.count == 0, mayHandOver, bytes.count >= intake.minimumBytes {
            intake.append(handOver(bytes, intake))
        } else {
            intake.append(bytes)
        }
    }

    /// The peer ended its stream. The end is reported after all bytes received before it.
    func receivedEnd() {
        guard phase == .active, !confined.hasEnded else { return }
        confined.hasEnded = true
        guard let intake = confined.intake else { return reportEnd() }
        intake.isEndHeld = true
        updateReceiving()
    }

    private func reportEnd() {
        if let end = confined.handlers.end { end(self) } else { beginClose(.ended) }
    }

    /// Whether bytes have arrived that the handler has not got.
    var hasWaitingBytes: Bool {
        guard phase == .active else { return false }
        if let intake = confined.intake, intake.canHandOver { return true }
        return Descriptors.bytesReadable(descriptor) ?? 0 > 0
    }

    private func handOverGathered(_ intake: ConnectionIntake) {
        while intake.canHandOver, mayHandOver {
            // Nothing is gathered meanwhile: receiving resumes only after the handler has returned.
            intake.consume { handOver($0, intake).count }
        }
        if phase != .active { intake.removeAll() }
        guard intake.isEndHeld, phase == .active, intake.count == 0,
            confined.security == nil || intake.heldError != nil || mayHandOver
        else { return }
        intake.isEndHeld = false
        if let error = intake.heldError { tearDown(.failed(error)) } else { reportEnd() }
    }

    /// Passes slices to the handler as long as it accepts them, and returns the rest.
    private func handOver(
        _ bytes: UnsafeRawBufferPointer, _ intake: ConnectionIntake
    ) -> UnsafeRawBufferPointer {
        intake.isDelivering = true
        defer { intake.isDelivering = false }
        let most = max(intake.maximumBytes, intake.minimumBytes)
        var rest = bytes
        while !rest.isEmpty, mayHandOver, let handler = confined.handlers.receive {
            let slice = UnsafeRawBufferPointer(rebasing: rest.prefix(most))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(slice.count))
            let bytes = RawSpan(_unsafeBytes: slice)
            if let taker = intake.taker.take() { taker(bytes) } else { handler(self, bytes) }
        }
        return phase == .active ? rest : UnsafeRawBufferPointer(start: nil, count: 0)
    }

    // MARK: pauses

    /// Starts, pauses or resumes receiving, as the connection's state requires.
    func updateReceiving() {
        if let intake = confined.intake {
            // The handler is running; its caller updates again once the handler has returned.
            if intake.isDelivering { return }
            handOverGathered(intake)
        }
        guard !confined.hasEnded, isOpen, phase == .active || isHandshaking else { return }
        if wantsToReceive {
            let wasPaused = stream.resume(announces: confined.isAwaited && !isHandshaking)
            if wasPaused { confined.hasPaused = true }
        } else {
            confined.hasPaused = true
            stream.pause()
            stream.watch()
        }
    }

    /// Whether the connection accepts bytes from its peer now.
    var wantsToReceive: Bool { isHandshaking || mayHandOver && !confined.hasEnded }

    private var mayHandOver: Bool {
        let isHeldBack = confined.isBackedUp && pausesReceivingWhileUnwritable
        let isPaused = confined.pauses > 0 && confined.intake?.taker == nil
        return phase == .active && !isPaused && !isHeldBack && confined.handlers.receive != nil
    }

    /// Sets the least number of bytes that the receive handler gets at once; see
    /// ``ConnectionOptions/receiveMinimumBytes``.
    public func setReceiveMinimumBytes(_ count: Int) {
        onQueue { connection in
            connection.makeIntake().minimumBytes = max(1, count)
            connection.updateReceiving()
        }
    }
}
