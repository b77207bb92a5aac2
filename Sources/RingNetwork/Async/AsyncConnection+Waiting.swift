internal import LinuxPlatform
internal import RingDispatch

// Waiting for bytes. On the queue.
extension AsyncConnection {
    /// Waits for bytes: those that `body` takes, or else some more in the buffer.
    /// - Parameter isIdle: the task is between messages, so that a shutdown ends the wait.
    /// - Returns: false if the peer has ended its stream, or the listener shuts down.
    nonisolated(nonsending) func receiveMore(
        isIdle: Bool, _ body: ((RawSpan) throws -> Void)? = nil
    ) async throws -> Bool {
        if confined.isLate { throw ReceiveError.timedOut }
        if confined.hasEnded { return false }
        if let failure { throw failure }
        if confined.receiver != nil {
            fatalMisuse(
                "receive of connection '\(connection.queue.label)' while another task waits")
        }
        if isIdle && isShuttingDown && !connection.hasWaitingBytes { return false }
        confined.isIdle = isIdle
        if isShuttingDown { endIdleWait() }
        confined.body = body
        defer {
            confined.isIdle = false
            confined.body = nil
        }
        if confined.owner == .current {
            await withUnsafeContinuation { beginWait(0, $0) }
        } else {
            try await waitAlone()
        }
        return try confined.outcome.get()
    }

    private func beginWait(_ number: UInt64, _ continuation: UnsafeContinuation<Void, Never>) {
        confined.receiverNumber = number
        confined.receiver = continuation
        connection.resumeReceiving()
    }

    /// For a task whose cancellation does not concern the connection.
    nonisolated(nonsending) private func waitAlone() async throws {
        try Task.checkCancellation()
        confined.number &+= 1
        let number = confined.number
        await withTaskCancellationHandler {
            await withUnsafeContinuation { beginWait(number, $0) }
        } onCancel: {
            connection.queue.async { [self] in
                if confined.receiverNumber == number { endWait(.failure(CancellationError())) }
            }
        }
    }

    /// Resumes the task that waits, if one does.
    func endWait(_ outcome: Result<Bool, any Error>) {
        guard let receiver = confined.receiver.take() else { return }
        confined.outcome = outcome
        connection.pauseReceiving()
        receiver.resume()
    }

    // MARK: handlers

    func received(_ bytes: RawSpan) {
        guard let body = confined.body else {
            dropTaken()
            bytes.withUnsafeBytes { confined.buffer.append(contentsOf: $0) }
            return endWait(.success(true))
        }
        do {
            try body(bytes)
            endWait(.success(true))
        } catch {
            endWait(.failure(error))
        }
    }

    func end() {
        confined.hasEnded = true
        endWait(.success(false))
    }

    // MARK: the buffer

    /// Received bytes that nobody has asked for yet.
    var bufferedCount: Int { confined.buffer.count - confined.taken }

    /// A buffer up to this size is kept for later bytes.
    private static let keptBytes = 4096

    private func dropTaken() {
        guard confined.taken > 0 else { return }
        confined.buffer.removeFirst(confined.taken)
        confined.taken = 0
    }

    func take(_ count: Int) {
        confined.taken += count
        guard confined.taken == confined.buffer.count else { return }
        confined.taken = 0
        confined.buffer.removeAll(
            keepingCapacity: confined.buffer.capacity <= AsyncConnection.keptBytes)
    }

    /// The first bytes of the buffer.
    func takeArray(_ count: Int) -> [UInt8] {
        if confined.taken == 0 && count == confined.buffer.count {
            defer { confined.buffer = [] }
            return confined.buffer
        }
        defer { take(count) }
        return Array(confined.buffer[confined.taken..<confined.taken + count])
    }

    // MARK: time-outs

    /// Runs an operation; when the time has passed, its next or present wait fails.
    nonisolated(nonsending) func limited<Value>(
        to interval: DispatchTimeInterval,
        _ operation: nonisolated(nonsending) () async throws -> Value
    ) async throws -> Value {
        if interval == .never { return try await operation() }
        let timer = connection.queue.scheduleAfter(deadline: .now() + interval) { [self] in
            confined.isLate = true
            endWait(.failure(ReceiveError.timedOut))
        }
        defer {
            timer.cancel()
            confined.isLate = false
        }
        return try await operation()
    }
}
