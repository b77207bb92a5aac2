internal import LinuxPlatform
internal import RingDispatch

extension Connection {
    /// Called once when the listener that accepted the connection shuts down, to finish what the
    /// protocol has begun, and then to close. Without a handler the connection closes, once the
    /// kernel has taken all that was sent. Never called for a connection without a listener. See
    /// ``Listener/shutdown(deadline:completion:)``.
    public func setDrainHandler(_ handler: ((Connection) -> Void)?) {
        onQueue { $0.makeExtras().drain = handler }
    }

    /// The listener shuts down. Not on the connection's queue.
    func drain() {
        guard !isUnshared else { return }
        hop { connection in
            // A connection that closes needs nothing more.
            guard connection.state != .closing, connection.state != .closed else { return }
            if let handler = connection.extras?.drain {
                handler(connection)
            } else {
                connection.close()
            }
        }
    }

    /// Not activated, so that it belongs to its maker and only the deadline ends it. Not on its
    /// queue, where `isCurrent` says nothing.
    private var isUnshared: Bool { isCurrent }

    /// Aborts the connection, unless it is closed or was never activated. Not on its queue.
    /// - Parameter report: called on the queue before.
    func abort(_ report: @escaping (ShutdownReport.AbortedConnection) -> Void) {
        guard !isUnshared else { return }
        hop { connection in
            guard connection.state != .closed else { return }
            report(
                ShutdownReport.AbortedConnection(
                    endpoint: connection.remoteEndpoint, unsentBytes: connection.unsentBytes,
                    unconfirmedBytes: Sockets.unconfirmedBytes(connection.descriptor)))
            connection.abort()
        }
    }
}
