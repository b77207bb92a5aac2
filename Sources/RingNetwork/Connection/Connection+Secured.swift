internal import LinuxPlatform
internal import RingDispatch

// A connection's use of its security layer. On the queue.
extension Connection {
    /// Most bytes that one call encrypts.
    private static let sliceBytes = 64 * 1024
    /// Most bytes that are encrypted in the thread's memory: with room for six records' frames.
    private static let directBytes = ThreadMemory.size - 1024
    /// Encryption pauses while this many encrypted bytes wait for the kernel.
    private static let encryptAheadBytes = 128 * 1024

    var isHandshaking: Bool { confined.security?.isHandshaking ?? false }

    /// Called by `activate`.
    func startHandshake(_ security: SecurityLayer) {
        var output: [UInt8] = []
        let failure = security.start(output: &output)
        append(output)
        if let failure { fail(failure) } else { flush() }
    }

    func sendSecured(
        _ content: OutgoingQueue.Content, _ completion: SendCompletion?,
        _ security: SecurityLayer
    ) {
        let isFirst = confined.outgoing.isEmpty && security.unencrypted.isEmpty
        security.unencrypted.append(content, completion)
        if isFirst && !isHandshaking { flush() } else { updateWaterMarks() }
    }

    /// The same for bytes that are valid only during the call.
    func sendSecured(_ bytes: UnsafeRawBufferPointer, _ security: SecurityLayer) {
        guard !security.isHandshaking, security.unencrypted.isEmpty,
            bytes.count <= Connection.directBytes
        else { return sendSecured(.bytes(Array(bytes)), nil, security) }
        let memory = ThreadMemory.take()
        defer { memory.giveBack() }
        var count = 0
        var output: [UInt8] = []
        let failure = security.encrypt(bytes, into: memory, count: &count, output: &output)
        if let failure { return fail(failure) }
        sendNow(UnsafeRawBufferPointer(rebasing: memory.bytes[..<count]))
        if !output.isEmpty, phase != .closed, isOpenForSending { enqueue(.bytes(output), nil) }
    }

    /// Queues bytes that the layer itself produced.
    private func append(_ output: [UInt8]) {
        guard !output.isEmpty else { return }
        appendOutgoing(.bytes(output), nil, isOwn: true)
    }

    /// The kernel rejected a send, so nothing more can be sent. The connection may go on receiving,
    /// because the rejected bytes may be the layer's own (key updates, alerts), sent to a peer that
    /// closed after its last message.
    func failSending(_ error: SocketError, _ security: SecurityLayer) {
        let isProgramConcerned =
            confined.outgoing.hasProgramBytes || !security.unencrypted.isEmpty
        for completion in abandonSends() { hop { _ in completion.call(error) } }
        if !isProgramConcerned, phase == .active, isOpenForSending, !confined.hasEnded {
            // The program's next send reports the error. If it does not receive either, nothing
            // else would: the kernel reports a reset once, and this send has got it. But the bytes
            // that arrived with the end of the handshake are still to be gathered.
            hop { $0.endIfPeerHasLeft(error) }
            return updateWaterMarks()
        }
        if isProgramConcerned { security.sendError = error }
        confined.isFinishing = true
        security.isCloseNotified = true
        if phase == .closing, let why = reason {
            tearDown(security.sendError.map { .failed($0) } ?? why)
        } else if confined.hasEnded
            || security.sendError != nil && !wantsToReceive && !confined.isAwaited
        {
            // A task gets the error, and decides.
            tearDown(.failed(error))
        } else {
            updateWaterMarks()
        }
    }

    private func endIfPeerHasLeft(_ error: SocketError) {
        guard phase == .active, !wantsToReceive, !confined.isAwaited, !confined.hasEnded,
            !hasWaitingBytes
        else { return }
        tearDown(.failed(error))
    }

    /// Encrypts until enough bytes are ready for the kernel. Returns false if that failed and tore
    /// the connection down.
    func encryptAhead(_ security: SecurityLayer) -> Bool {
        guard !security.isHandshaking else { return true }
        while !security.unencrypted.isEmpty,
            confined.outgoing.byteCount < Connection.encryptAheadBytes
        {
            var output: [UInt8] = []
            var failure: TLSFailure?
            do throws(SocketError) {
                let completion = try security.unencrypted.takeSlice(limit: Connection.sliceBytes) {
                    failure = security.encrypt($0, output: &output)
                }
                if !output.isEmpty || completion != nil {
                    appendOutgoing(.bytes(output), completion)
                }
            } catch {
                tearDown(.failed(error), aborts: true)
                return false
            }
            if let failure {
                fail(failure)
                return false
            }
        }
        if confined.isFinishing && security.unencrypted.isEmpty && !security.isCloseNotified {
            security.isCloseNotified = true
            settleSends()
            var output: [UInt8] = []
            security.close(output: &output)
            append(output)
        }
        return true
    }

    /// All is sent. Closes when the peer has confirmed it, has ended its stream, or after two
    /// seconds. A close with unread bytes, and bytes that arrive after a close, such as a server's
    /// session tickets, make the kernel reset the connection and drop what is unconfirmed.
    func closeSecured(_ why: CloseReason) {
        stopTimer()
        Sockets.closeOutput(descriptor)
        awaitConfirmation(why, until: .now() + .seconds(2), milliseconds: 1)
    }

    /// - Parameter milliseconds: until the next check, if there is one; doubles, up to 500.
    private func awaitConfirmation(
        _ why: CloseReason, until end: DispatchTime, milliseconds: Int
    ) {
        guard phase == .closing else { return }
        guard discardReceived(), !stream.isUnix, .now() < end,
            Sockets.unconfirmedBytes(descriptor) > 0
        else { return tearDown(why) }
        let next = min(.now() + .milliseconds(milliseconds), end)
        queue.asyncAfter(deadline: next) { [self] in
            awaitConfirmation(why, until: end, milliseconds: min(milliseconds * 2, 500))
        }
    }

    /// Receives and drops what has arrived, up to a limit. Returns whether more may arrive.
    private func discardReceived() -> Bool {
        let memory = ThreadMemory.take()
        defer { memory.giveBack() }
        for _ in 0..<16 {
            let count = Sockets.receive(descriptor, into: memory.start, ThreadMemory.size)
            if count <= 0 { return count == Sockets.wouldBlock }
        }
        return true
    }

    func receiveSecured(
        _ bytes: UnsafeRawBufferPointer, _ intake: ConnectionIntake,
        _ security: SecurityLayer
    ) {
        let wasHandshaking = security.isHandshaking
        let memory = ThreadMemory.take()
        defer { memory.giveBack() }
        var count = 0
        var output: [UInt8] = []
        let progress = security.receive(bytes, output: &output, into: memory, count: &count)
        // The layer may call a closure of the program's, which may end the connection.
        if phase == .closed { return }
        append(output)
        let isEstablished = wasHandshaking && !security.isHandshaking
        if isEstablished && phase == .closing { stream.pause() }
        if !output.isEmpty || isEstablished { flush() }
        if isEstablished && phase == .active {
            if confined.clock?.timer != nil { restartTimer() }
            reportHandshake()
        }
        if count > 0 { gather(UnsafeRawBufferPointer(rebasing: memory.bytes[..<count]), intake) }
        switch progress {
        case .goesOn: updateReceiving()
        case .ended:
            // Later bytes on the wire are ignored.
            stream.pause()
            receivedEnd()
        case .failed(let failure):
            updateReceiving()
            fail(failure)
        }
    }

    /// Sends the layer's alert as far as there is room, and tears down.
    func fail(_ failure: TLSFailure) {
        guard phase != .closed else { return }
        _ = sendOutgoing()
        tearDown(.tlsFailed(failure))
    }
}
