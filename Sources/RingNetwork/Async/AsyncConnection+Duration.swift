internal import RingDispatch

extension AsyncConnection {
    /// Waits for bytes, with the limit as a `Duration`.
    /// - Throws: ``ReceiveError``, `CancellationError`.
    @_disfavoredOverload
    public func receive(within limit: Duration) async throws -> [UInt8]? {
        try await receive(within: DispatchTimeInterval(limit))
    }

    /// Waits for exactly `count` bytes, with the limit as a `Duration`.
    /// - Throws: ``ReceiveError``, `CancellationError`.
    @_disfavoredOverload
    public func receive(exactly count: Int, within limit: Duration) async throws -> [UInt8] {
        try await receive(exactly: count, within: DispatchTimeInterval(limit))
    }
}
