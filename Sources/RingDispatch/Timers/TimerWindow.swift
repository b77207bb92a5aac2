/// When a timer may fire, on its heap's clock, nanoseconds.
struct TimerWindow {
    /// Not before.
    let deadline: UInt64
    /// Not after, if the loop can help it.
    let latest: UInt64

    init(deadline: UInt64, leeway: UInt64) {
        self.deadline = deadline
        let (latest, isOver) = deadline.addingReportingOverflow(leeway)
        self.latest = isOver ? .max - 1 : latest
    }
}
