internal import LinuxPlatform
internal import RingDispatch

// Waiting for bytes. On the queue.
extension AsyncConnection {
    /// Waits for bytes, and adds them to the buffer. They may be none.
    /// - Parameter isIdle: as below.
    /// - Returns: as below.
    @inline(__always)
    nonisolated(nonsending) func receiveMore(_ caller: Caller, isIdle: Bool) async throws -> Bool {
        let count = bufferedCount
        guard try await waitForBytes(caller, isIdle: isIdle) else { return false }
        if bufferedCount == count { keepWaitingBytes() }
        return true
    }

    // A function of its own: the variables of a function that waits are in the task's memory, which
    // is not in the cache.
    @inline(never)
    private func keepWaitingBytes() { connection.receiveNow { keep($0) } }

    /// Passes the buffer's bytes to `body`; if there are none, those that wait in the kernel.
    /// - Returns: whether there were any.
    @inline(never)
    func deliver(_ body: (RawSpan) throws -> Void) throws -> Bool {
        if bufferedCount == 0 {
            var outcome: Result<Void, any Error>?
            connection.receiveNow { bytes in outcome = Result { try body(bytes) } }
            try outcome?.get()
            return outcome != nil
        }
        defer { take(bufferedCount) }
        try confined.buffer.withUnsafeBytes { bytes in
            try body(
                RawSpan(_unsafeBytes: UnsafeRawBufferPointer(rebasing: bytes[confined.taken...])))
        }
        return true
    }

    /// Waits until bytes, the end or an error may have arrived.
    /// - Parameter isIdle: the task is between messages, so that a shutdown ends the wait.
    /// - Returns: false if the peer has ended its stream, or the listener shuts down.
    @inline(__always)
    nonisolated(nonsending) func waitForBytes(_ caller: Caller, isIdle: Bool) async throws -> Bool {
        guard try prepareWait(caller, isIdle: isIdle) else { return false }
        if caller == .owner {
            await withUnsafeContinuation { beginWait(0, $0) }
        } else {
            await waitAlone()
        }
        return try confined.outcome.get()
    }

    /// Begin the wait at once if this returns true: `isIdle` is set, and the end of the wait clears
    /// it.
    /// - Returns: whether there is something to wait for.
    @inline(never)
    private func prepareWait(_ caller: Caller, isIdle: Bool) throws -> Bool {
        if confined.isLate { throw ReceiveError.timedOut }
        if confined.hasEnded { return false }
        if let failure { throw failure }
        if confined.receiver != nil {
            fatalMisuse(
                "receive of connection '\(connection.queue.label)' while another task waits")
        }
        let willEnd = isIdle && isShuttingDown && !confined.willCheckAgain
        if willEnd && !connection.hasWaitingBytes { return false }
        if caller != .owner { try Task.checkCancellation() }
        confined.isIdle = isIdle
        if isShuttingDown { endIdleWait() }
        return true
    }

    private func beginWait(_ number: UInt64, _ continuation: UnsafeContinuation<Void, Never>) {
        confined.receiverNumber = number
        confined.receiver = continuation
        connection.changePauses(by: -1)
    }

    /// For a task whose cancellation does not concern the connection.
    @inline(never)
    nonisolated(nonsending) private func waitAlone() async {
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
        guard let receiver = takeReceiver() else { return }
        confined.outcome = outcome
        connection.changePauses(by: 1)
        receiver.resume()
    }

    private func takeReceiver() -> UnsafeContinuation<Void, Never>? {
        confined.isIdle = false
        return confined.receiver.take()
    }

    // MARK: handlers

    /// - Parameter bytes: those that an intake has passed on; none: some may be waiting, and
    ///   receiving is paused.
    func received(_ bytes: RawSpan) {
        if bytes.isEmpty {
            guard let receiver = takeReceiver() else { connection.endOverResume() }
            confined.outcome = .success(true)
            return executor.resume(receiver)
        }
        if confined.receiver == nil { connection.endOverResume() }
        keep(bytes)
        endWait(.success(true))
    }

    func end() {
        confined.hasEnded = true
        endWait(.success(false))
    }

    // MARK: the buffer

    /// Received bytes that nobody has asked for yet.
    var bufferedCount: Int { confined.buffer.count - confined.taken }

    private func keep(_ bytes: RawSpan) {
        if confined.taken > 0 {
            confined.buffer.removeFirst(confined.taken)
            confined.taken = 0
        }
        bytes.withUnsafeBytes { confined.buffer.append(contentsOf: $0) }
    }

    func take(_ count: Int) {
        confined.takenBytes &+= UInt64(count)
        confined.taken += count
        let isLarge = confined.buffer.capacity > FrameLimits.keptCapacity
        // So that a small rest keeps no large memory.
        guard isLarge ? bufferedCount < confined.taken : bufferedCount == 0 else { return }
        if isLarge {
            confined.buffer = Array(confined.buffer[confined.taken...])
        } else {
            confined.buffer.removeAll(keepingCapacity: true)
        }
        confined.taken = 0
    }

    /// The first bytes of the buffer.
    func takeArray(_ count: Int) -> [UInt8] {
        if confined.taken == 0 && count == confined.buffer.count {
            defer {
                confined.takenBytes &+= UInt64(count)
                confined.buffer = []
            }
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
