internal import Ring
internal import RingDispatch
internal import Synchronization

extension Connection {
    /// Called once when the listener that accepted the connection shuts down, to finish what the
    /// protocol has begun, and then to close. Without a handler the connection closes, once all
    /// that it has to send is with the kernel. See ``Listener/shutdown(deadline:completion:)``.
    public func setDrainHandler(_ handler: ((Connection) -> Void)?) {
        onQueue { $0.handlers.drain = handler }
    }

    /// From any thread.
    func drain() {
        hop { connection in
            // One that is not activated is its maker's: the deadline is for it.
            guard !connection.isInSetup.load(ordering: .acquiring) else { return }
            if let handler = connection.handlers.drain {
                connection.handlers.drain = nil
                handler(connection)
            } else {
                connection.close()
            }
        }
    }

    /// Resets the connection, unless it is closed or was never activated. From any thread.
    /// - Parameter report: called on the queue before.
    func cut(_ report: @escaping (ShutdownReport.Cut) -> Void) {
        hop { connection in
            guard !connection.isInSetup.load(ordering: .acquiring), connection.state != .closed
            else { return }
            report(
                ShutdownReport.Cut(
                    endpoint: connection.remoteEndpoint, unsentBytes: connection.unsentBytes,
                    unconfirmedBytes: Sockets.unconfirmedBytes(connection.descriptor)))
            connection.reset()
        }
    }
}
