/// The handlers of a source. They belong to its invoker.
struct SourceHandlers {
    var event: SourceHandler?
    var cancel: SourceHandler?
    var registration: SourceHandler?

    /// Calls the event handler. Taken out meanwhile, it needs no reference counting; nobody else
    /// touches the handlers during a call.
    @inline(__always)
    mutating func callEvent() {
        guard let handler = event.take() else { return }
        handler.call()
        event = consume handler
    }

    mutating func set(_ kind: SourceCore.HandlerKind, _ handler: SourceHandler?) {
        switch kind {
        case .event: event = handler
        case .cancel: cancel = handler
        case .registration: registration = handler
        }
    }
}
