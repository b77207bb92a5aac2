internal import LinuxPlatform
internal import RingDispatch

extension Connection {
    /// Sets the handler that is called once when the connection's listener shuts down, to finish
    /// the request under way and then close. Without a handler, the connection closes once the
    /// kernel has taken all sent bytes. Connections without a listener never call it. See
    /// ``Listener/shutdown(deadline:completion:)``.
    public func setDrainHandler(_ handler: sending ((Connection) -> Void)?) {
        onQueue { $0.settableHandlers.drain = handler }
    }

    /// Called when the listener shuts down, and when the connection is activated after that. Until
    /// then it belongs to its maker.
    func drain() {
        guard !isInSetup else { return }
        hop { connection in
            // Otherwise closing already, or activated while the shutdown began.
            guard connection.phase == .active, !connection.confined.isDraining else { return }
            connection.confined.isDraining = true
            if let handler = connection.confined.handlers.drain {
                handler(connection)
            } else {
                connection.close()
            }
        }
    }

    /// Aborts the connection, unless it is closed or was never activated.
    /// - Parameter report: called on the queue, before the abort.
    func abort(_ report: @escaping @Sendable (ShutdownReport.AbortedConnection) -> Void) {
        guard !isInSetup else { return }
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
