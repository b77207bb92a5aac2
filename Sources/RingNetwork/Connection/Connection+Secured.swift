internal import LinuxPlatform
internal import RingDispatch

// How a connection works with a layer of security. On the queue.
extension Connection {
    /// So much is encrypted at a time, at most.
    private static let sliceBytes = 64 * 1024
    /// While so much that is encrypted waits for the kernel, no more is encrypted.
    private static let encryptAheadBytes = 128 * 1024

    var isHandshaking: Bool { extras?.layer?.isHandshaking ?? false }

    /// With the connection's activation.
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

    /// The same for bytes that are only lent.
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

    /// What the layer itself has to say.
    private func append(_ output: [UInt8]) {
        if !output.isEmpty { outgoing.append(.bytes(output), nil, isOwn: true) }
    }

    /// The kernel takes nothing more, ever. The layer talks when the program does not, and a peer
    /// that has said all and gone is no failure: what it said is still received.
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
        } else if hasEnded || !(wantsToReceive || extras.isAwaited) {
            tearDown(.failed(error))
        } else {
            updateWaterMarks()
        }
    }

    /// Encrypts as much as is to be ahead of the kernel; false: that failed, and the connection is
    /// torn down.
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
        // Being closed: only the handshake is of interest.
        if phase != .active { extras.gathered = [] }
        let isEstablished = wasHandshaking && !layer.isHandshaking
        if isEstablished && phase == .closing { stopReceiving() }
        if !output.isEmpty || isEstablished { flush() }
        if isEstablished && phase == .active {
            if extras.timer != nil { restartTimer() }
            extras.handshake?(self)
        }
        switch progress {
        case .goesOn: updateReceiving()
        case .ended:
            // Nothing more is expected of the wire, nor looked at.
            stopReceiving()
            receivedEnd()
        case .failed(let failure):
            updateReceiving()
            fail(failure)
        }
    }

    private func stopReceiving() {
        receiver?.discard()
        receiver?.stop()
    }

    /// Sends what the peer should be told, as far as there is room, and ends.
    func fail(_ failure: TLSFailure) {
        guard !isTearingDown else { return }
        _ = outgoing.flush(to: descriptor, sent: &counters.bytesSent) { completion in
            hop { _ in completion.call(nil) }
        }
        tearDown(.tlsFailed(failure))
    }
}
