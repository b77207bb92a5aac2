internal import LinuxPlatform
internal import RingDispatch

// A connection's use of its security layer. On the queue.
extension Connection {
    /// Most bytes that one call encrypts.
    private static let sliceBytes = 64 * 1024
    /// Encryption pauses while this many encrypted bytes wait for the kernel.
    private static let encryptAheadBytes = 128 * 1024

    var isHandshaking: Bool { extras?.layer?.isHandshaking ?? false }

    /// Called by `activate`.
    func startHandshake(_ layer: SecurityLayer) {
        var output: [UInt8] = []
        let failure = layer.start(output: &output)
        append(output)
        if let failure { fail(failure) } else { flush() }
    }

    func sendSecured(
        _ content: OutgoingQueue.Content, _ completion: SendCompletion?, _ extras: ConnectionExtras
    ) {
        extras.unencrypted.append(content, completion)
        if outgoing.isEmpty && !isHandshaking { flush() } else { updateWaterMarks() }
    }

    /// The same for bytes that are valid only during the call.
    func sendSecured(_ bytes: UnsafeRawBufferPointer, _ extras: ConnectionExtras) {
        guard let layer = extras.layer, !layer.isHandshaking, extras.unencrypted.isEmpty,
            bytes.count <= Connection.sliceBytes
        else { return sendSecured(.bytes(Array(bytes)), nil, extras) }
        var output: [UInt8] = []
        if let failure = layer.encrypt(bytes, output: &output) { return fail(failure) }
        let isFirst = outgoing.isEmpty
        outgoing.append(.bytes(output), nil)
        if isFirst { flush() } else { updateWaterMarks() }
    }

    /// Queues bytes that the layer itself produced.
    private func append(_ output: [UInt8]) {
        if !output.isEmpty { outgoing.append(.bytes(output), nil, isOwn: true) }
    }

    /// The kernel rejected a send, so nothing more can be sent. The connection may go on receiving,
    /// because the rejected bytes may be the layer's own (key updates, alerts), sent to a peer that
    /// closed after its last message.
    func failSending(_ error: SocketError, _ extras: ConnectionExtras) {
        if outgoing.hasProgramBytes || !extras.unencrypted.isEmpty {
            extras.sendError = error
        }
        let abandoned = outgoing.abandon() + extras.unencrypted.abandon()
        for completion in abandoned { hop { _ in completion.call(error) } }
        isFinishing = true
        extras.isCloseNotified = true
        if phase == .closing {
            tearDown(extras.sendError.map { .failed($0) } ?? reason ?? .closed)
        } else if hasEnded || extras.sendError != nil && !wantsToReceive {
            // Without bytes of the program (only a record of the layer's failed), it may still
            // begin to receive what the peer has sent.
            tearDown(.failed(error))
        } else {
            updateWaterMarks()
        }
    }

    /// Encrypts until enough bytes are ready for the kernel. Returns false if that failed and tore
    /// the connection down.
    func encryptAhead(_ extras: ConnectionExtras, _ layer: SecurityLayer) -> Bool {
        guard !layer.isHandshaking else { return true }
        while !extras.unencrypted.isEmpty, outgoing.byteCount < Connection.encryptAheadBytes {
            var output: [UInt8] = []
            var failure: TLSFailure?
            do throws(SocketError) {
                let completion = try extras.unencrypted.takeSlice(limit: Connection.sliceBytes) {
                    failure = layer.encrypt($0, output: &output)
                }
                if !output.isEmpty || completion != nil {
                    outgoing.append(.bytes(output), completion)
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
        let isOver = isFinishing || phase == .closing
        if isOver && extras.unencrypted.isEmpty && !extras.isCloseNotified {
            extras.isCloseNotified = true
            var output: [UInt8] = []
            layer.close(output: &output)
            append(output)
        }
        return true
    }

    func receiveSecured(
        _ bytes: UnsafeRawBufferPointer, _ extras: ConnectionExtras, _ layer: SecurityLayer
    ) {
        let wasHandshaking = layer.isHandshaking
        var output: [UInt8] = []
        let progress = layer.receive(bytes, output: &output, plaintext: &extras.gathered)
        append(output)
        // A closing connection still needs the handshake to end, but not the plaintext.
        if phase != .active { extras.gathered = [] }
        let isEstablished = wasHandshaking && !layer.isHandshaking
        if isEstablished && phase == .closing { stopReceiving() }
        if !output.isEmpty || isEstablished { flush() }
        if isEstablished && phase == .active {
            if extras.timer != nil { restartTimer() }
            reportHandshake()
        }
        switch progress {
        case .goesOn: updateReceiving()
        case .ended:
            // Later bytes on the wire are ignored.
            stopReceiving()
            receivedEnd()
        case .failed(let failure):
            updateReceiving()
            fail(failure)
        }
    }

    private func stopReceiving() {
        receiver?.pause()
    }

    /// Sends the layer's alert as far as there is room, and tears down.
    func fail(_ failure: TLSFailure) {
        guard phase != .closed else { return }
        _ = outgoing.flush(to: descriptor, sent: &counters.bytesSent) { completion in
            hop { _ in completion.call(nil) }
        }
        tearDown(.tlsFailed(failure))
    }
}
