extension EventLoop {
    /// Adds a timer, and wakes the loop if it would sleep past it.
    func add(_ slot: TimerSlot, on clock: TimerClock) {
        let isFirst = timers[clock].add(slot)
        if clock == .wall { WallClock.watchSteps() }
        guard isFirst else { return }
        let latest = slot.window.latest
        if mustWake(for: clock == .wall ? WallClock.monotonicDeadline(for: latest) : latest) {
            wake()
        }
    }
}
