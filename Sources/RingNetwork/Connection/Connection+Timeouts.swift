internal import LinuxPlatform
internal import RingDispatch

extension Connection {
    /// Sets the time-outs anew; the spans begin with the call. See ``ConnectionTimeouts``.
    public func setTimeouts(_ timeouts: ConnectionTimeouts) {
        onQueue { connection in
            connection.makeExtras().timeouts = timeouts
            if connection.isOpen { connection.restartTimer() }
        }
    }

    /// Whether a message of the peer's is incomplete: ``ConnectionTimeouts/receiveRate`` counts
    /// only then, and only while the connection wants to receive. On the queue.
    ///
    /// A server sets it when the first byte of a request is there (or at once, where the client
    /// has to speak first), and clears it when the request is complete. A reader of lines sets it
    /// after each receive to whether a part of a line is left. Setting it is cheap; setting it
    /// again changes nothing. Between messages the peer may be silent, as far as the other
    /// time-outs allow.
    public var isInMessage: Bool {
        get { extras?.isInMessage ?? false }
        set {
            guard newValue != isInMessage else { return }
            let extras = makeExtras()
            extras.isInMessage = newValue
            if newValue { extras.messageNumber &+= 1 }
        }
    }

    /// After the connection was activated, or its time-outs changed.
    func restartTimer() {
        guard let extras else { return }
        stopTimer()
        extras.activityWatch = ActivityWatch(
            extras.timeouts, began: activationNanoseconds, now: MonotonicClock.nanoseconds(),
            activity(extras))
        schedule(extras)
    }

    func stopTimer() {
        extras?.timer?.cancel()
        extras?.timer = nil
        extras?.activityWatch = nil
    }

    private func schedule(_ extras: ConnectionExtras) {
        extras.timer = extras.activityWatch?.interval(isHandshaking: isHandshaking).map {
            queue.scheduleAfter(
                deadline: .now() + .nanoseconds(Int(clamping: $0))
            ) { [self] in look() }
        }
    }

    /// A look at what has happened since the last one.
    private func look() {
        guard let extras, extras.activityWatch != nil else { return }
        let activity = activity(extras)
        extras.hasPaused = false
        extras.hasDrained = false
        let now = MonotonicClock.nanoseconds()
        guard let timeout = extras.activityWatch?.look(now, activity) else {
            return schedule(extras)
        }
        extras.timer = nil
        if timeout == .idle && unsentBytes == 0 && phase == .active {
            // The goodbye of a secured connection may find no room.
            schedule(extras)
            beginClose(.timedOut(timeout))
        } else {
            tearDown(.timedOut(timeout), aborts: true)
        }
    }

    private func activity(_ extras: ConnectionExtras) -> ConnectionActivity {
        ConnectionActivity(
            bytesReceived: counters.bytesReceived, bytesSent: counters.bytesSent,
            hasUnsent: unsentBytes > 0, hasDrained: extras.hasDrained,
            wantsToReceive: wantsToReceive && !receivesAhead, hasPaused: extras.hasPaused,
            message: extras.isInMessage ? extras.messageNumber : nil,
            isHandshaking: isHandshaking)
    }
}
