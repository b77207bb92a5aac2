internal import LinuxPlatform
internal import RingDispatch

extension AsyncConnection {
    /// Runs the closure, and closes or resets the connection afterwards.
    func run<Result>(
        isolation: isolated (any Actor)?, _ body: (AsyncConnection) async throws -> Result
    ) async throws -> Result {
        try await withTaskCancellationHandler {
            do {
                await begin()
                let result = try await body(self)
                try await leave()
                return result
            } catch {
                await abort()
                throw error
            }
        } onCancel: {
            connection.queue.async { [self] in cancel() }
        }
    }

    /// The same in a task of its own, whose errors concern only this connection.
    func serve(_ handler: @Sendable (AsyncConnection) async throws -> Void) async {
        try? await run(isolation: nil, handler)
    }

    private func begin() async {
        guard isCurrent() else { return await call { await $0.begin() } }
        confined.owner = AsyncConnection.currentTask
    }

    /// Safety: the value is only compared. The owner lives as long as it is used.
    static var currentTask: UInt {
        withUnsafeCurrentTask { unsafeBitCast($0, to: UInt.self) }
    }

    /// Closes in order, and waits until the kernel has taken all bytes.
    /// - Throws: the error that prevented it.
    private func leave() async throws {
        guard isCurrent() else { return try await call { try await $0.leave() } }
        confined.owner = 0
        if confined.isCancelled { throw CancellationError() }
        guard connection.isOpen else { return }
        connection.close()
        if connection.state != .closed {
            await withUnsafeContinuation { confined.closer = $0 }
        }
        if confined.isCancelled { throw CancellationError() }
        switch connection.reason {
        case .failed, .timedOut, .tlsFailed: throw connection.reason?.error ?? CancellationError()
        default: break
        }
    }

    private func abort() async {
        guard isCurrent() else { return await call { await $0.abort() } }
        confined.owner = 0
        connection.abort()
    }

    /// The task was cancelled. On the queue.
    private func cancel() {
        confined.isCancelled = true
        connection.abort()
        endWait(.failure(CancellationError()))
        resumeSenders()
    }
}

extension Connection {
    /// Activates the connection, and runs `body`, which waits instead of setting handlers. The
    /// connection must be new: without handlers, and not activated.
    ///
    /// Returning from `body` closes the connection, and waits until the kernel has taken all bytes.
    /// Throwing resets it. So does cancelling the task, at once: all waits then end with
    /// `CancellationError`. `body` runs on the connection's queue unless it belongs to an actor.
    /// - Throws: what `body` throws; ``SocketError`` if the bytes of the end cannot be sent;
    ///   `CancellationError`. A connection that was lost before `body` returned throws nothing.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (AsyncConnection) async throws -> Result
    ) async throws -> Result {
        guard isInSetup else {
            fatalMisuse("run of connection '\(queue.label)' after activate or close")
        }
        let client = AsyncConnection(self)
        client.activate()
        return try await withTaskExecutorPreference(client.executor) {
            try await client.run(isolation: isolation, body)
        }
    }
}
