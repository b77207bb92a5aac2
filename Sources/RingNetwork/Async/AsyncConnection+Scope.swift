internal import LinuxPlatform
internal import RingDispatch

extension AsyncConnection {
    /// Runs the closure, and closes or resets the connection afterwards. A caller whose task
    /// others can cancel must abort the connection when that happens.
    ///
    /// Neither generic nor with a cancellation handler of its own, so that a waiting task needs one
    /// block of memory of the concurrency runtime, about 1,000 bytes, instead of two.
    func run(
        isolation: isolated (any Actor)?, _ body: (AsyncConnection) async throws -> Void
    ) async throws {
        do {
            await begin()
            try await body(self)
            try await leave()
        } catch {
            await abort()
            throw error
        }
    }

    private func begin() async {
        guard caller() != nil else { return await call { await $0.begin() } }
        confined.owner = .current
    }

    /// Closes in order, and waits until the kernel has taken all bytes.
    /// - Throws: the error that prevented it.
    private func leave() async throws {
        guard caller() != nil else { return try await call { try await $0.leave() } }
        defer { endOwnership() }
        try Task.checkCancellation()
        guard connection.isOpen else { return }
        connection.close()
        if connection.state != .closed {
            await withUnsafeContinuation { confined.closer = $0 }
        }
        try Task.checkCancellation()
        switch connection.reason {
        case .aborted, .failed, .timedOut, .tlsFailed:
            throw connection.reason?.taskError ?? CancellationError()
        default: break
        }
    }

    private func abort() async {
        guard caller() != nil else { return await call { await $0.abort() } }
        endOwnership()
        connection.abort()
    }

    private func endOwnership() {
        confined.wasCancelled = isCancelled
        confined.owner = .none
    }
}

extension Connection {
    /// Activates the connection, and runs `body`, which waits instead of setting handlers. The
    /// connection must be new: without handlers, and not activated.
    ///
    /// Returning from `body` closes the connection, and waits until the kernel has taken all bytes.
    /// Throwing resets it. So does cancelling the task, at once: all waits then end with
    /// `CancellationError`. `body` runs on the connection's queue unless it belongs to an actor.
    /// - Throws: what `body` throws; ``SocketError`` if the bytes of the end cannot be sent, or
    ///   ``ReceiveError`` if TLS failed; `CancellationError`. A connection that was lost before
    ///   `body` returned throws nothing.
    public func run<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (AsyncConnection) async throws -> Result
    ) async throws -> Result {
        guard isInSetup else {
            fatalMisuse("run of connection '\(queue.label)' after activate or close")
        }
        let client = AsyncConnection(self)
        client.activate()
        var result: Result?
        // The preference is the inner one: the concurrency runtime searches for it at each wait.
        try await withTaskCancellationHandler {
            try await withTaskExecutorPreference(client.executor) {
                try await client.run(isolation: isolation) { result = try await body($0) }
            }
        } onCancel: {
            abort()
        }
        guard let result else { fatalError("unreachable: the body has returned") }
        return result
    }
}
