internal import LinuxPlatform
public import RingDispatch

extension AsyncConnection {
    /// Sends the bytes. Waits only while more than ``ConnectionOptions/sendHighWaterBytes`` are
    /// unsent, so that the task cannot run far ahead of its peer. Cancelling ends only the wait:
    /// the bytes are still sent, unless the connection is reset.
    /// - Throws: ``SocketError``; ``ReceiveError`` if TLS failed; `CancellationError`.
    public nonisolated(nonsending) func send(_ bytes: [UInt8]) async throws {
        try await send { $0.send(bytes) }
    }

    /// Sends data without copying its regions. Waits only while more than
    /// ``ConnectionOptions/sendHighWaterBytes`` are unsent; cancelling ends only the wait.
    /// - Throws: ``SocketError``; ``ReceiveError`` if TLS failed; `CancellationError`.
    public nonisolated(nonsending) func send(_ data: DispatchData) async throws {
        try await send { $0.send(data) }
    }

    /// Sends a part of a regular file; one that is too short resets the connection. Waits only
    /// while more than ``ConnectionOptions/sendHighWaterBytes`` are unsent; cancelling ends only
    /// the wait.
    /// - Throws: ``SocketError``; ``ReceiveError`` if TLS failed; `CancellationError`.
    public nonisolated(nonsending) func send(
        fileDescriptor: Int32, offset: Int, count: Int
    ) async throws {
        try await send { $0.send(fileDescriptor: fileDescriptor, offset: offset, count: count) }
    }

    /// Sends as `body` does, and waits like the others.
    nonisolated(nonsending) func send(
        _ body: @Sendable (Connection) -> Void
    ) async throws {
        guard let caller = caller() else {
            return try await call { try await $0.send(body) }
        }
        if isCancelled { throw CancellationError() }
        if !connection.isOpenForSending { throw sendError }
        body(connection)
        if !connection.isWritable { try await becomeWritable(caller) }
        // What was unsent may be lost already.
        if connection.state == .closed || encryptionError != nil { throw sendError }
    }

    /// Ends the sending side, after all earlier sends; receiving continues. From any thread.
    public func closeOutput() { connection.closeOutput() }

    // MARK: on the queue

    private var encryptionError: SocketError? { connection.confined.security?.sendError }

    private var sendError: any Error {
        connection.reason?.taskError ?? encryptionError
            ?? SocketError("send", ErrorCode.brokenPipe)
    }

    nonisolated(nonsending) private func becomeWritable(_ caller: Caller) async throws {
        if caller != .owner { try Task.checkCancellation() }
        confined.number &+= 1
        let number = confined.number
        if caller == .owner {
            await wait(number)
        } else {
            await withTaskCancellationHandler {
                await wait(number)
            } onCancel: {
                connection.queue.async { [self] in
                    guard let index = confined.senders.firstIndex(where: { $0.number == number })
                    else {
                        return
                    }
                    confined.senders.remove(at: index).continuation.resume()
                }
            }
        }
        if isCancelled || Task.isCancelled { throw CancellationError() }
    }

    nonisolated(nonsending) private func wait(_ number: UInt64) async {
        await withUnsafeContinuation { confined.senders.append((number, $0)) }
    }

    func resumeSenders() {
        guard !confined.senders.isEmpty else { return }
        let senders = confined.senders
        confined.senders = []
        for sender in senders { sender.continuation.resume() }
    }
}
