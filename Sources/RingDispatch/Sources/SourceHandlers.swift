/// The handlers of a source. Only its invoker touches them.
struct SourceHandlers {
    var event: SourceHandler?
    var cancel: SourceHandler?
    var registration: SourceHandler?

    /// Calls the event handler. Moving it out for the call avoids a retain and a release.
    @inline(__always)
    mutating func callEvent() {
        guard let handler = event.take() else { return }
        handler.call()
        event = consume handler
    }
}
