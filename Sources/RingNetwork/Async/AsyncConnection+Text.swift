extension AsyncConnection {
    /// Sends text as UTF-8, and waits like `send` with bytes. Write the end of a line yourself:
    /// `"hello\n"`.
    /// - Throws: ``SocketError``; ``ReceiveError`` if TLS failed; `CancellationError`.
    public nonisolated(nonsending) func send(_ text: String) async throws {
        try await send { $0.send(text) }
    }
}
