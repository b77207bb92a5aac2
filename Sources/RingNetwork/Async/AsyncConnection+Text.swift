extension AsyncConnection {
    /// Sends text as UTF-8, and waits like `send` with bytes. Write the end of a line yourself:
    /// `"hello\n"`.
    /// - Throws: ``SocketError``, `CancellationError`.
    public func send(_ text: String) async throws { try await send(Array(text.utf8)) }
}
