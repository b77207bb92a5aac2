internal import LinuxPlatform
public import RingDispatch

extension Connection {
    /// Whether the peer keeps up. Becomes false when more than
    /// ``ConnectionOptions/sendHighWaterBytes`` are unsent, and true again at
    /// ``ConnectionOptions/sendLowWaterBytes``. On the queue.
    public var isWritable: Bool {
        checkCurrent()
        return !confined.isBackedUp
    }

    /// Sent bytes that the kernel has not taken yet. On the queue: elsewhere the process ends.
    /// From any thread: ``statistics``.
    public var unsentBytes: Int {
        checkCurrent()
        return unsent
    }

    var unsent: Int {
        confined.outgoing.byteCount + (confined.security?.unencrypted.byteCount ?? 0)
    }

    var isOpenForSending: Bool { !confined.isFinishing }

    /// Sends bytes that are valid only during the call. The kernel takes as many as it has room for
    /// at once; the rest is copied. After `closeOutput`, `close` or `abort`, the bytes are dropped.
    @inline(__always)
    public func send(_ bytes: RawSpan) { bytes.withUnsafeBytes { send($0) } }

    /// Sends bytes that are valid only during the call.
    public func send(_ bytes: UnsafeRawBufferPointer) {
        guard isCurrent else { return send(Array(bytes)) }
        guard isOpenForSending else { return }
        counters.sends.add(1)
        if let security = confined.security { return sendSecured(bytes, security) }
        sendNow(bytes)
    }

    /// Sends what the kernel has room for, and copies the rest.
    @inline(__always)
    func sendNow(_ bytes: UnsafeRawBufferPointer) {
        // The stream reports earlier bytes that were not sent by taking none of these.
        if bytes.isEmpty { return }
        var count = 0
        if confined.outgoing.isEmpty {
            count = stream.send(bytes)
            if count == bytes.count {
                counters.bytesSent.add(UInt64(count))
                return
            }
            // The next attempt reports the error.
            count = max(0, count)
            counters.bytesSent.add(UInt64(count))
        }
        enqueue(.bytes(Array(bytes[count...])), nil)
    }

    /// Sends bytes.
    /// - Parameters:
    ///   - bytes: kept until the kernel has taken them, without a copy if there are more than 4096.
    ///   - completion: called once on the queue: with nil when the kernel has taken all bytes, or
    ///     with the error that prevents it.
    public func send(_ bytes: [UInt8], completion: sending ((SocketError?) -> Void)? = nil) {
        if completion == nil, bytes.count <= OutgoingQueue.shortBytes, isCurrent {
            return bytes.withUnsafeBytes { send($0) }
        }
        send(.bytes(bytes), completion.map { SendCompletion($0) })
    }

    /// Sends data without copying its regions.
    public func send(_ data: DispatchData, completion: sending ((SocketError?) -> Void)? = nil) {
        send(.data(data), completion.map { SendCompletion($0) })
    }

    func send(_ content: sending OutgoingQueue.Content, _ completion: SendCompletion?) {
        onQueue { connection in
            guard connection.isOpenForSending else {
                connection.hop { _ in
                    completion?.call(SocketError("send", ErrorCode.brokenPipe))
                }
                return
            }
            connection.counters.sends.add(1)
            if let security = connection.confined.security {
                connection.sendSecured(content, completion, security)
            } else {
                connection.enqueue(content, completion)
            }
        }
    }

    /// Ends the sending side after all earlier sends: shutdown(2); under TLS, close_notify first.
    /// Receiving goes on. Later sends are dropped, and their completions get EPIPE. Does not close
    /// the connection, not even when the peer has ended, too: call ``close()`` then. A second call
    /// does nothing.
    public func closeOutput() {
        onQueue { connection in
            guard connection.isOpenForSending else { return }
            connection.settleSends()
            connection.confined.isFinishing = true
            if connection.confined.security != nil {
                connection.flush()
            } else if connection.confined.outgoing.isEmpty {
                connection.drained()
            }
        }
    }

    func enqueue(_ content: OutgoingQueue.Content, _ completion: SendCompletion?) {
        let isFirst = confined.outgoing.isEmpty
        appendOutgoing(content, completion)
        if isFirst { flush() } else { updateWaterMarks() }
    }

    /// Adds content behind all earlier sends.
    /// - Parameter isOwn: the TLS layer itself produced it.
    func appendOutgoing(
        _ content: OutgoingQueue.Content, _ completion: SendCompletion?, isOwn: Bool = false
    ) {
        settleSends()
        confined.outgoing.append(content, completion, isOwn: isOwn)
    }

    /// Ends the batch that has bytes of the connection. Those that the kernel has not taken are the
    /// first in the queue afterwards.
    func settleSends() {
        guard let rest = stream.settleSends() else { return }
        counters.bytesSent.set(counters.bytesSent.value &- UInt64(rest.count))
        confined.outgoing.append(.bytes(rest), nil)
        counters.unsent.set(UInt64(unsent))
    }

    package func sendFailed() {
        settleSends()
        if !confined.outgoing.isEmpty { flush() }
    }

    func flush() {
        let security = confined.security
        // Other queues with the same target get their turn then.
        let turnEnd = counters.bytesSent.value &+ UInt64(OutgoingQueue.bytesInTurn)
        repeat {
            if let security, !encryptAhead(security) { return }
            if let error = sendOutgoing() {
                // It comes again, and is reported, when `begin` or `beginClose` sends on.
                if phase == .setup { return }
                if let security { return failSending(error, security) }
                return tearDown(.failed(error), aborts: error.call != "send")
            }
        } while confined.outgoing.isEmpty && mayEncrypt && counters.bytesSent.value < turnEnd
        updateWaterMarks()
        if !confined.outgoing.isEmpty || mayEncrypt {
            // An event would run on the queue during the setup: `begin` and `beginClose` send on.
            if phase == .setup { return }
            let mayHaveRoom = confined.outgoing.isEmpty || confined.outgoing.hasEndedTurn
            stream.waitUntilWritable(mayHaveRoom: mayHaveRoom)
            limitSending()
        } else if isAllSent {
            drained()
        }
    }

    /// Sends until the kernel has no room. Returns the error that ends all sending, or nil.
    func sendOutgoing() -> SocketError? {
        var sent: UInt64 = 0
        defer { counters.bytesSent.add(sent) }
        return confined.outgoing.flush(to: descriptor, sent: &sent) { completion in
            hop { _ in completion.call(nil) }
        }
    }

    private var mayEncrypt: Bool {
        guard let security = confined.security else { return false }
        return !security.isHandshaking && !security.unencrypted.isEmpty
    }

    /// The kernel has taken everything, including the layer's close_notify.
    var isAllSent: Bool {
        guard confined.outgoing.isEmpty else { return false }
        guard let security = confined.security else { return true }
        return security.unencrypted.isEmpty && (!confined.isFinishing || security.isCloseNotified)
    }

    package func becameWritable() {
        // The next attempt reports an error.
        if !confined.outgoing.isEmpty || mayEncrypt { flush() }
    }

    func updateWaterMarks() {
        let unsent = unsent
        counters.unsent.set(UInt64(unsent))
        if !confined.isBackedUp && unsent > sendHighWaterBytes {
            confined.isBackedUp = true
            updateReceiving()
        } else if confined.isBackedUp && unsent <= sendLowWaterBytes {
            confined.isBackedUp = false
            updateReceiving()
            confined.handlers.writable?(self)
        }
    }
}
