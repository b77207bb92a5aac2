internal import LinuxPlatform
public import RingDispatch

extension AsyncConnection {
    /// Waits for bytes and returns all that have arrived, up to 64 KiB (80 under TLS); nil when the
    /// peer has ended its stream, or the listener shuts down.
    ///
    /// The end of the stream does not close the connection: you may still send. Cancelling the task
    /// ends the wait. No bytes are lost, unless it is the task of the whole connection, which is
    /// then reset.
    /// - Parameter limit: how long to wait. 0 or less: only bytes that were received before are
    ///   returned; `.never`: no limit.
    /// - Throws: ``ReceiveError``, `CancellationError`.
    public nonisolated(nonsending) func receive(
        within limit: DispatchTimeInterval = .never
    ) async throws -> [UInt8]? {
        guard let caller = caller() else {
            return try await call { try await $0.receive(within: limit) }
        }
        if bufferedCount > 0 { return takeArray(bufferedCount) }
        let hasBytes = try await limited(to: limit) {
            while bufferedCount == 0 {
                guard try await receiveMore(caller, isIdle: true) else { return false }
            }
            return true
        }
        return hasBytes ? takeArray(bufferedCount) : nil
    }

    /// Waits for bytes, and passes all that have arrived to `body` where they were received, in
    /// memory of the thread. They are copied only if the options give
    /// ``ConnectionOptions/receiveMinimumBytes`` or a maximum, if they arrive with the end of a TLS
    /// handshake, and for a caller that is not on the connection's queue.
    ///
    /// The span is valid only during the call of `body`. To answer, call `connection.send`: while
    /// the peer does not take the answers, the next receive waits.
    /// - Returns: false, without a call of `body`, when the peer has ended its stream, or the
    ///   listener shuts down.
    /// - Throws: what `body` throws; ``ReceiveError``, `CancellationError`.
    public nonisolated(nonsending) func receive(
        _ body: (RawSpan) throws -> Void
    ) async throws -> Bool {
        guard let caller = caller() else {
            guard let bytes = try await call({ try await $0.receive() }) else { return false }
            try body(bytes.span.bytes)
            return true
        }
        while bufferedCount == 0 {
            guard try await waitForBytes(caller, isIdle: true) else { return false }
            if try deliver(body) { return true }
        }
        return try deliver(body)
    }

    /// Waits for exactly `count` bytes. A shutdown of the listener does not end it,
    /// since it may be the middle of a message.
    /// - Parameters:
    ///   - count: at least 1; less ends the process. So many bytes are kept in memory meanwhile.
    ///   - limit: how long to wait for all of them. 0 or less: they must have been received before;
    ///     `.never`: no limit.
    /// - Throws: ``ReceiveError``, `CancellationError`.
    public nonisolated(nonsending) func receive(
        exactly count: Int, within limit: DispatchTimeInterval = .never
    ) async throws -> [UInt8] {
        guard let caller = caller() else {
            return try await call { try await $0.receive(exactly: count, within: limit) }
        }
        if count < 1 {
            fatalMisuse(
                "receive(exactly: \(count)) of connection '\(connection.queue.label)': the count "
                    + "must be at least 1")
        }
        try await limited(to: limit) {
            while bufferedCount < count {
                guard try await receiveMore(caller, isIdle: false) else {
                    throw ReceiveError.ended(available: bufferedCount, wanted: count)
                }
            }
        }
        return takeArray(count)
    }

    /// Waits for the next frame; nil at the end between frames.
    nonisolated(nonsending) func receiveFrame<F: Framing>(
        _ frames: inout InboundFrames<F>.Iterator
    ) async throws -> [UInt8]? {
        guard let caller = caller() else {
            let (frame, after) = try await call { [frames] client in
                var frames = frames
                return (try await client.receiveFrame(&frames), frames)
            }
            frames = after
            return frame
        }
        frames.move(to: confined.takenBytes)
        while true {
            if let frame = try takeFrame(&frames.reader) {
                frames.place = confined.takenBytes
                return frame
            }
            let count = bufferedCount
            guard try await receiveMore(caller, isIdle: count == 0) else {
                if count == 0 { return nil }
                throw FrameError.endInsideFrame(byteCount: count)
            }
        }
    }

    private func takeFrame<F: Framing>(_ reader: inout FrameReader<F>) throws -> [UInt8]? {
        if bufferedCount == 0 { return nil }
        let found = try confined.buffer.withUnsafeBytes { bytes -> (frame: [UInt8], end: Int)? in
            let bytes = UnsafeRawBufferPointer(rebasing: bytes[confined.taken...])
            guard let bounds = try reader.nextFrame(in: bytes) else { return nil }
            return (Array(bytes[bounds.payload]), bounds.end)
        }
        guard let found else { return nil }
        take(found.end)
        return found.frame
    }
}
