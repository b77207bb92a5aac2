internal import RingDispatch

/// A shutdown in progress. Belongs to the listener's queue.
struct ShutdownState {
    var report = ShutdownReport()
    var completions: [(ShutdownReport) -> Void] = []
    var deadline = DispatchTime.distantFuture
    /// Fires at the deadline; after it, at the end of the grace time.
    var timer: DispatchScheduledItem?
    var isPastDeadline = false
    /// Aborted connections that are not closed yet.
    var aborted: Set<ObjectIdentifier> = []

    /// How long after the deadline a shutdown waits for handlers to return.
    static let graceMilliseconds = 1000
}
