internal import LinuxPlatform
public import RingDispatch

/// Receiving and sending from tasks, without handlers.
extension Connection {
    /// Waits for bytes and returns all that have arrived; nil when the peer has ended its stream.
    ///
    /// The connection must be activated and have no receive handler. It receives while a task
    /// waits; after the first call it also buffers up to 16 KiB between calls, then flow
    /// control stops the peer. The end of the stream does not close the connection: call `close`
    /// when you are done. Calls after the end return nil, even after `close`. A second task that
    /// calls `receive` while one waits traps.
    ///
    /// Cancelling the task ends the wait with `CancellationError`. No bytes are lost: the next
    /// receive returns them.
    /// - Throws: ``ReceiveError``, `CancellationError`.
    public func receive() async throws -> [UInt8]? { try await receive(ReceiveWait(exactly: nil)) }

    /// Waits for exactly `count` bytes, at least 1.
    public func receive(exactly count: Int) async throws -> [UInt8] {
        if count < 1 { fatalMisuse("receive(exactly: \(count)) of connection '\(queue.label)'") }
        return try await receive(ReceiveWait(exactly: count)) ?? []
    }

    /// Sends the bytes, and returns once the kernel has taken all of them, so the task cannot run
    /// far ahead of its peer. Cancellation ends only the wait; the bytes are still sent.
    /// - Throws: ``SocketError``, `CancellationError`.
    public func send(_ bytes: [UInt8]) async throws {
        try await awaitSend { connection, completion in
            connection.send(bytes, completion: completion)
        }
    }

    /// Sends data without copying its regions, and waits as above.
    public func send(_ data: DispatchData) async throws {
        try await awaitSend { connection, completion in
            connection.send(data, completion: completion)
        }
    }

    /// Sends a part of a regular file, and waits as above; a file that is too short resets the
    /// connection.
    public func send(fileDescriptor: Int32, offset: Int, count: Int) async throws {
        try await awaitSend { connection, completion in
            connection.send(
                fileDescriptor: fileDescriptor, offset: offset, count: count,
                completion: completion)
        }
    }

    private func receive(_ wait: ReceiveWait) async throws -> [UInt8]? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                onQueue { $0.begin(wait, continuation) }
            }
        } onCancel: {
            hop { connection in
                wait.isCancelled = true
                guard let extras = connection.extras, extras.waiter === wait else { return }
                extras.waiter = nil
                wait.finish(.failure(CancellationError()))
                connection.updateReceiving()
            }
        }
    }

    private func begin(
        _ wait: ReceiveWait, _ continuation: CheckedContinuation<[UInt8]?, any Error>
    ) {
        wait.continuation = continuation
        if wait.isCancelled { return wait.finish(.failure(CancellationError())) }
        if phase == .setup {
            fatalMisuse("receive() of connection '\(queue.label)' before activate()")
        }
        if handlers.receive != nil {
            fatalMisuse("receive() of connection '\(queue.label)', which has a receive handler")
        }
        let extras = makeExtras()
        if extras.waiter != nil {
            fatalMisuse("receive() of connection '\(queue.label)' while another one waits")
        }
        extras.isAwaited = true
        // The receive time-out starts with the wait.
        extras.hasPaused = true
        extras.waiter = wait
        answerWaiter(extras)
        if phase == .closing || phase == .closed { failWaiter(reason ?? .closed) }
        updateReceiving()
    }

    /// Resumes the waiting task if enough bytes are there, or the stream has ended.
    func answerWaiter(_ extras: ConnectionExtras) {
        guard let wait = extras.waiter else { return }
        let available = extras.gathered.count
        if let count = wait.exactly {
            if available >= count {
                extras.waiter = nil
                return wait.finish(.success(take(count, of: extras)))
            }
            guard hasEnded else { return }
            extras.waiter = nil
            wait.finish(.failure(ReceiveError.ended(available: available, wanted: count)))
        } else if available > 0 && (available >= extras.receiveMinimumBytes || hasEnded) {
            extras.waiter = nil
            let most = max(receiveMaximumBytes, extras.receiveMinimumBytes)
            wait.finish(.success(take(min(available, most), of: extras)))
        } else if hasEnded {
            extras.waiter = nil
            wait.finish(.success(nil))
        }
    }

    private func take(_ count: Int, of extras: ConnectionExtras) -> [UInt8] {
        if count == extras.gathered.count {
            defer { extras.gathered = [] }
            return extras.gathered
        }
        defer { extras.gathered.removeFirst(count) }
        return Array(extras.gathered[..<count])
    }

    /// The connection is closed, so the wait cannot be satisfied.
    func failWaiter(_ reason: CloseReason) {
        guard let extras, let wait = extras.waiter else { return }
        extras.waiter = nil
        wait.finish(.failure(ReceiveError.closed(reason)))
    }

    private func awaitSend(
        _ send:
            @escaping @Sendable (Connection, @escaping @Sendable (SocketError?) -> Void) -> Void
    ) async throws {
        let wait = SendWait()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                onQueue { connection in
                    wait.continuation = continuation
                    send(connection) { wait.finish($0) }
                    if wait.isCancelled { wait.finish(CancellationError()) }
                }
            }
        } onCancel: {
            hop { _ in
                wait.isCancelled = true
                wait.finish(CancellationError())
            }
        }
    }
}
