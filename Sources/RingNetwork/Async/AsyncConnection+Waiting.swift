internal import LinuxPlatform
internal import RingDispatch

// Waiting for bytes. On the queue.
extension AsyncConnection {
    /// Waits for bytes: those that `body` takes, or else some more in the buffer.
    /// - Parameter isIdle: the task is between messages, so that a shutdown ends the wait.
    /// - Returns: false if the peer has ended its stream, or the listener shuts down.
    func receiveMore(
        isIdle: Bool, _ body: ((RawSpan) throws -> Void)? = nil
    ) async throws -> Bool {
        if isLate { throw ReceiveError.timedOut }
        if hasEnded { return false }
        if let failure { throw failure }
        if receiver != nil {
            fatalMisuse(
                "receive of connection '\(connection.queue.label)' while another task waits")
        }
        if isIdle && isShuttingDown && !hasWaitingBytes { return false }
        self.isIdle = isIdle
        self.body = body
        if AsyncConnection.currentTask == owner { await wait() } else { try await waitAlone() }
        return try outcome.get()
    }

    private func wait(_ number: UInt64 = 0) async {
        receiverNumber = number
        await withUnsafeContinuation { continuation in
            receiver = continuation
            connection.resumeReceiving()
        }
    }

    /// For a task whose cancellation does not concern the connection.
    private func waitAlone() async throws {
        try Task.checkCancellation()
        number &+= 1
        let number = number
        await withTaskCancellationHandler {
            await wait(number)
        } onCancel: {
            connection.queue.async { [self] in
                if receiverNumber == number { endWait(.failure(CancellationError())) }
            }
        }
    }

    /// Resumes the task that waits, if one does.
    func endWait(_ outcome: Result<Bool, any Error>) {
        guard let receiver = receiver.take() else { return }
        self.outcome = outcome
        body = nil
        isIdle = false
        connection.pauseReceiving()
        receiver.resume()
    }

    // MARK: handlers

    func received(_ bytes: RawSpan) {
        guard let body else {
            dropTaken()
            bytes.withUnsafeBytes { buffer.append(contentsOf: $0) }
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
        hasEnded = true
        endWait(.success(false))
    }

    // MARK: the buffer

    /// Received bytes that nobody has asked for yet.
    var bufferedCount: Int { buffer.count - taken }

    /// A buffer up to this size is kept for later bytes.
    private static let keptBytes = 4096

    private func dropTaken() {
        guard taken > 0 else { return }
        buffer.removeFirst(taken)
        taken = 0
    }

    func take(_ count: Int) {
        taken += count
        guard taken == buffer.count else { return }
        taken = 0
        buffer.removeAll(keepingCapacity: buffer.capacity <= AsyncConnection.keptBytes)
    }

    /// The first bytes of the buffer.
    func takeArray(_ count: Int) -> [UInt8] {
        if taken == 0 && count == buffer.count {
            defer { buffer = [] }
            return buffer
        }
        defer { take(count) }
        return Array(buffer[taken..<taken + count])
    }

    // MARK: time-outs

    /// Runs an operation; when the time has passed, its next or present wait fails.
    func limited<Value>(
        to interval: DispatchTimeInterval, _ operation: () async throws -> Value
    ) async throws -> Value {
        if interval == .never { return try await operation() }
        let timer = connection.queue.scheduleAfter(deadline: .now() + interval) { [self] in
            isLate = true
            endWait(.failure(ReceiveError.timedOut))
        }
        defer {
            timer.cancel()
            isLate = false
        }
        return try await operation()
    }
}
