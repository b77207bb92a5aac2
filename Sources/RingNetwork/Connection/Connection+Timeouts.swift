internal import LinuxPlatform
internal import RingDispatch

extension Connection {
    /// Replaces the time-outs; their spans start with the call. See ``ConnectionTimeouts``.
    public func setTimeouts(_ timeouts: ConnectionTimeouts) {
        timeouts.check()
        onQueue { connection in
            connection.makeClock().timeouts = timeouts
            let isEnding = connection.phase == .closing && connection.isAllSent
            if connection.isOpen && !isEnding { connection.restartTimer() }
        }
    }

    /// Whether the peer is in the middle of a message: ``ConnectionTimeouts/receiveRate`` counts
    /// only then, and only while the connection wants to receive. On the queue.
    ///
    /// A server sets it at the first byte of a request (or at once, if the client must speak
    /// first), and clears it when the request is complete. A reader of lines sets it after each
    /// receive to whether a partial line is left. Setting it is cheap, and repeating a value has no
    /// effect. Between messages the peer may be silent, within the other time-outs.
    public var isInMessage: Bool {
        get {
            checkCurrent()
            return confined.clock?.isInMessage ?? false
        }
        set {
            guard newValue != isInMessage else { return }
            let clock = makeClock()
            clock.isInMessage = newValue
            if newValue { clock.messageNumber &+= 1 }
        }
    }

    /// Starts the timer again after the activation or a change of the time-outs.
    func restartTimer() {
        guard let clock = confined.clock else { return }
        stopTimer()
        clock.watch = TimeoutTracker(
            clock.timeouts, began: clock.activation, now: MonotonicClock.nanoseconds(),
            activity(clock))
        schedule(clock)
    }

    func stopTimer() {
        guard let clock = confined.clock else { return }
        clock.timer?.cancel()
        clock.timer = nil
        clock.watch = nil
        clock.limitsSending = false
    }

    /// The kernel has no room for bytes: their time-outs count from now on.
    func limitSending() {
        let clock = makeClock()
        if clock.limitsSending { return }
        guard clock.watch != nil else { return restartTimer() }
        clock.timer?.cancel()
        schedule(clock)
    }

    private func schedule(_ clock: ConnectionClock) {
        clock.limitsSending = waitsForKernel
        let interval = clock.watch?.interval(
            isHandshaking: isHandshaking, hasUnsent: clock.limitsSending)
        clock.timer = interval.map {
            let due = DispatchTime.now() + .nanoseconds(Int(clamping: $0))
            return queue.scheduleAfter(deadline: due) { [self] in
                checkTimeouts(due: due.uptimeNanoseconds)
            }
        }
    }

    /// Whether bytes are unsent that the kernel may get: others wait for the end of the handshake.
    private var waitsForKernel: Bool {
        isHandshaking ? confined.outgoing.byteCount > 0 : unsent > 0
    }

    /// Compares the activity since the last tick with the time-outs.
    private func checkTimeouts(due: UInt64) {
        guard let clock = confined.clock, clock.watch != nil else { return }
        let activity = activity(clock)
        confined.hasPaused = false
        clock.hasDrained = false
        let now = MonotonicClock.nanoseconds()
        guard let timeout = clock.watch?.check(now, due: due, activity) else {
            return schedule(clock)
        }
        if timeout == .idle && unsent == 0 && phase == .active {
            // The close_notify of a secured connection may find no room, so the timer goes on.
            schedule(clock)
            beginClose(.timedOut(timeout))
        } else {
            tearDown(.timedOut(timeout), aborts: true)
        }
    }

    private func activity(_ clock: ConnectionClock) -> ConnectionActivity {
        ConnectionActivity(
            bytesReceived: counters.bytesReceived.value, bytesSent: counters.bytesSent.value,
            hasUnsent: waitsForKernel, hasDrained: clock.hasDrained,
            wantsToReceive: wantsToReceive, hasPaused: confined.hasPaused,
            message: clock.isInMessage ? clock.messageNumber : nil,
            isHandshaking: isHandshaking)
    }
}
