internal import RingDispatch

/// A shutdown that has begun. Belongs to the listener's queue.
struct ShutdownState {
    var report = ShutdownReport()
    var isDone = false
    var completions: [(ShutdownReport) -> Void] = []
    var deadline = DispatchTime.distantFuture
    /// Ends the wait for the connections; after the deadline, for their handlers.
    var timer: DispatchScheduledItem?
    var isPastDeadline = false
    /// Connections that were aborted and are not closed yet.
    var aborted: Set<ObjectIdentifier> = []

    /// How long handlers that run at the deadline may take to come back.
    static let graceMilliseconds = 1000
}
