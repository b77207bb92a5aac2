internal import LinuxPlatform

extension IOOperation {
    /// Starts the deadline and interval timers. Call it before the operation is shared.
    func startTimers(_ deadline: DispatchTime) {
        if deadline != .distantFuture {
            addTimer(deadline, repeating: .never) { $0.abort(ErrorCode.timedOut) }
        }
        if limits.interval != .never {
            addTimer(.now() + limits.interval, repeating: limits.interval) { $0.requestCall() }
        }
    }

    private func addTimer(
        _ deadline: DispatchTime, repeating interval: DispatchTimeInterval,
        _ action: @escaping @Sendable (IOOperation) -> Void
    ) {
        let timer = DispatchSource.makeTimerSource()
        // `finish` cancels the timer, which frees the handler and its reference to the operation.
        timer.setEventHandler { action(self) }
        timer.schedule(deadline: deadline, repeating: interval)
        add(timer)
        timer.activate()
    }

    /// Runs the operation as the only one of its channel.
    func runAlone(_ deadline: DispatchTime) {
        _ = channel.begin()
        startTimers(deadline)
        channel.descriptor.submit(.operation(self))
        channel.close(isStop: false)
    }
}
