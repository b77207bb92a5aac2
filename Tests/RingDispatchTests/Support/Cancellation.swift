import RingDispatch
import Testing

/// A gate that the source's cancel handler opens; ask for it before the source is activated.
func watchCancel(of source: any DispatchSourceProtocol) -> Gate {
    let cancelled = Gate()
    source.setCancelHandler { cancelled.open() }
    return cancelled
}

/// Cancels a source, unless that was done already, and waits for its cancel handler: then its
/// descriptor may be closed.
func finish(
    _ source: any DispatchSourceProtocol, _ cancelled: Gate,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    source.cancel()
    expectOpens(cancelled, "no cancel handler", sourceLocation: sourceLocation)
}
