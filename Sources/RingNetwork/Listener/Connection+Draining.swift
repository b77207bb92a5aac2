internal import Ring
internal import RingDispatch

extension Connection {
    /// Called once when the listener that accepted the connection shuts down, to finish what the
    /// protocol has begun, and then to close. Without a handler the connection closes, once all
    /// that it has to send is with the kernel. Of no use in a connection without a listener. See
    /// ``Listener/shutdown(deadline:completion:)``.
    public func setDrainHandler(_ handler: ((Connection) -> Void)?) {
        onQueue { $0.owner?.setDrainHandler(handler, of: $0) }
    }

    /// Not on the connection's queue.
    func drain(_ handler: ((Connection) -> Void)?) {
        guard !isUnshared else { return }
        hop { connection in
            // One that closes does all it can.
            guard connection.state != .closing, connection.state != .closed else { return }
            if let handler { handler(connection) } else { connection.close() }
        }
    }

    /// It is not activated, and its maker's: the deadline is for it. Not on its queue, where
    /// `isCurrent` says nothing.
    private var isUnshared: Bool { isCurrent }

    /// Resets the connection, unless it is closed or was never activated. Not on its queue.
    /// - Parameter report: called on the queue before.
    func cut(_ report: @escaping (ShutdownReport.Cut) -> Void) {
        guard !isUnshared else { return }
        hop { connection in
            guard connection.state != .closed else { return }
            report(
                ShutdownReport.Cut(
                    endpoint: connection.remoteEndpoint, unsentBytes: connection.unsentBytes,
                    unconfirmedBytes: Sockets.unconfirmedBytes(connection.descriptor)))
            connection.reset()
        }
    }
}
