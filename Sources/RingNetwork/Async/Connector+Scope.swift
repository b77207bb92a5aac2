extension Connector {
    /// Connects, runs `body` with the connection, and closes it; see
    /// ``Connection/run(isolation:_:)``. Cancelling the task also cancels the attempt to connect.
    /// - Throws: ``ConnectError``; what `body` throws; ``SocketError`` if the last bytes cannot be
    ///   sent, or ``ReceiveError`` if TLS failed; `CancellationError`.
    public func withConnection<Result>(
        to endpoint: Endpoint, isolation: isolated (any Actor)? = #isolation,
        _ body: (AsyncConnection) async throws -> Result
    ) async throws -> Result {
        try await connect(to: endpoint).run(isolation: isolation, body)
    }
}
