internal import LinuxPlatform

extension IOOperation {
    /// Sets the timers of the deadline and the interval. Before the operation is shared.
    func startTimers(_ deadline: DispatchTime) {
        if deadline != .distantFuture {
            addTimer(deadline, repeating: .never) { $0.abort(ErrorCode.timedOut) }
        }
        if limits.intervalNanoseconds > 0 {
            let interval = DispatchTimeInterval.nanoseconds(Int(limits.intervalNanoseconds))
            addTimer(.now() + interval, repeating: interval) { $0.requestCall() }
        }
    }

    private func addTimer(
        _ deadline: DispatchTime, repeating interval: DispatchTimeInterval,
        _ action: @escaping @Sendable (IOOperation) -> Void
    ) {
        let timer = DispatchSource.makeTimerSource()
        // Cancelled at the operation's end, which lets go of the handler.
        timer.setEventHandler { action(self) }
        timer.schedule(deadline: deadline, repeating: interval)
        timers.append(timer)
        timer.activate()
    }

    /// Runs the only operation of its channel.
    func runAlone(_ deadline: DispatchTime) {
        _ = channel.begin()
        startTimers(deadline)
        channel.descriptor.submit(self, Context.current)
        channel.close(isStop: false)
    }
}
