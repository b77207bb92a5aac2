import RingDispatch
import Testing

/// A gate that the source's cancel handler opens. Create it before the source is activated.
func watchCancel(of source: any DispatchSourceProtocol) -> Gate {
    let cancelled = Gate()
    source.setCancelHandler { cancelled.open() }
    return cancelled
}

/// Activates a source; its cancel handler opens the gate.
/// - Parameter handler: the event handler, unless it is set already.
func activate(
    _ source: any DispatchSourceProtocol, handler: DispatchSourceHandler? = nil
) -> Gate {
    if let handler { source.setEventHandler(handler: handler) }
    let cancelled = watchCancel(of: source)
    source.activate()
    return cancelled
}

/// Cancels a source if necessary, and waits for its cancel handler. Afterwards its descriptor may
/// be closed.
func finish(
    _ source: any DispatchSourceProtocol, _ cancelled: Gate,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    source.cancel()
    expectOpens(cancelled, "no cancel handler", sourceLocation: sourceLocation)
}

extension DispatchSourceProtocol {
    /// Sets the event handler, and activates the source.
    func start(handler: @escaping DispatchSourceHandler) {
        setEventHandler(handler: handler)
        activate()
    }
}

extension DispatchSourceTimer {
    /// Sets the event handler and the schedule, and activates the timer.
    func start(
        deadline: DispatchTime, repeating interval: DispatchTimeInterval = .never,
        leeway: DispatchTimeInterval = .nanoseconds(0), handler: @escaping DispatchSourceHandler
    ) {
        setEventHandler(handler: handler)
        schedule(deadline: deadline, repeating: interval, leeway: leeway)
        activate()
    }
}
