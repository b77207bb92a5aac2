/// The time in which a timer may fire, in nanoseconds on its heap's clock.
struct TimerWindow {
    /// The timer never fires earlier.
    let deadline: UInt64
    /// The loop wakes by this time to fire the timer.
    let latest: UInt64

    init(deadline: UInt64, leeway: UInt64) {
        self.deadline = deadline
        let (latest, isOver) = deadline.addingReportingOverflow(leeway)
        self.latest = isOver ? .max - 1 : latest
    }
}
