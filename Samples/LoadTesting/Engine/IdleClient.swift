internal import RingNetwork

/// A connection that sends nothing, and reports an error if the server sends or closes.
final class IdleClient: BackgroundClient, @unchecked Sendable {
    // Safety: see the base class.
    private(set) var wasOpened = false

    override func adopt(_ connection: Connection) {
        wasOpened = true
        shard.idleClientEndedConnecting()
        connection.setReceiveHandler { [self] _, _ in
            fail(Finding(.mismatch, "received bytes on a connection that sends nothing"))
        }
        connection.setEndHandler { [self] _ in
            fail(Finding(.closedByServer, "the server closed an idle connection"))
        }
        connection.setCloseHandler { [self] _, reason in
            if !isOver { fail(target.finding(of: reason)) }
            shard.clientClosed()
        }
        connection.activate()
    }

    override func connectingFailed(_ error: ConnectError) {
        shard.idleClientEndedConnecting()
        fail(target.target.finding(of: error))
    }

    private func fail(_ finding: Finding) {
        guard !isOver else { return }
        shard.errors.add(finding.kind, finding.detail)
        close()
    }

    override func close() {
        isOver = true
        pending?.cancel()
        connection?.close()
    }
}
