/// A listener's handlers. They belong to its queue.
struct ListenerHandlers {
    var connection: ((Connection) -> Void)?
    var error: ((Listener, ListenerError) -> Void)?
    var close: ((Listener, ListenerError?) -> Void)?
    /// Ends `run`.
    var endRun: (() -> Void)?
}
