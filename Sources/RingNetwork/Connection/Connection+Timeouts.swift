internal import LinuxPlatform
internal import RingDispatch

extension Connection {
    /// Replaces the time-outs; their spans start with the call. See ``ConnectionTimeouts``.
    public func setTimeouts(_ timeouts: ConnectionTimeouts) {
        onQueue { connection in
            connection.makeExtras().timeouts = timeouts
            if connection.isOpen { connection.restartTimer() }
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
        get { extras?.isInMessage ?? false }
        set {
            guard newValue != isInMessage else { return }
            let extras = makeExtras()
            extras.isInMessage = newValue
            if newValue { extras.messageNumber &+= 1 }
        }
    }

    /// Starts the timer again after the activation or a change of the time-outs.
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
            ) { [self] in checkTimeouts() }
        }
    }

    /// Compares the activity since the last tick with the time-outs.
    private func checkTimeouts() {
        guard let extras, extras.activityWatch != nil else { return }
        let activity = activity(extras)
        extras.hasPaused = false
        extras.hasDrained = false
        let now = MonotonicClock.nanoseconds()
        guard let timeout = extras.activityWatch?.check(now, activity) else {
            return schedule(extras)
        }
        extras.timer = nil
        if timeout == .idle && unsentBytes == 0 && phase == .active {
            // The close_notify of a secured connection may find no room, so the timer goes on.
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
            wantsToReceive: wantsToReceive, hasPaused: extras.hasPaused,
            message: extras.isInMessage ? extras.messageNumber : nil,
            isHandshaking: isHandshaking)
    }
}
