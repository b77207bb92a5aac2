internal import RingDispatch
package import RingNetwork

extension Connection {
    /// How long the rest of a peer's bytes is discarded.
    private static let discardSeconds = 5

    /// Closes, once all is sent, a connection whose peer may still send. A close with unread bytes
    /// would reset the connection, and the peer might lose the last answer: they are discarded
    /// first, to the peer's end or for some seconds. Call it on the queue.
    package func closeDiscarding() {
        closeOutput()
        setReceiveHandler { _, _ in }
        setEndHandler(nil)
        let deadline = DispatchTime.now() + .seconds(Self.discardSeconds)
        queue.asyncAfter(deadline: deadline) { [weak self] in self?.close() }
    }
}
