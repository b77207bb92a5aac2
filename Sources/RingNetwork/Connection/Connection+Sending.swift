internal import LinuxPlatform
public import RingDispatch

extension Connection {
    /// Whether the peer keeps up. Becomes false when more than
    /// ``ConnectionOptions/sendHighWaterBytes`` are unsent, and true again at
    /// ``ConnectionOptions/sendLowWaterBytes``. On the queue.
    public var isWritable: Bool { !isBackedUp }

    /// Sent bytes that the kernel has not taken yet. On the queue.
    public var unsentBytes: Int {
        isSecured ? outgoing.byteCount + (extras?.unencrypted.byteCount ?? 0) : outgoing.byteCount
    }

    /// Sends bytes that are valid only during the call. The kernel takes as many as it has room for
    /// at once; the rest is copied.
    @inline(__always)
    public func send(_ bytes: RawSpan) { bytes.withUnsafeBytes { send($0) } }

    /// Sends bytes that are valid only during the call.
    public func send(_ bytes: UnsafeRawBufferPointer) {
        guard isCurrent else { return send(Array(bytes)) }
        guard isOpenForSending else { return }
        counters.sends &+= 1
        if isSecured, let extras { return sendSecured(bytes, extras) }
        var count = 0
        if outgoing.isEmpty, let receiver {
            count = receiver.send(bytes)
            if count == bytes.count {
                counters.bytesSent &+= UInt64(count)
                return
            }
            // The next attempt reports the error.
            count = max(0, count)
            counters.bytesSent &+= UInt64(count)
        }
        enqueue(.bytes(Array(bytes[count...])), nil)
    }

    /// Up to this size, the bytes that the kernel has no room for are copied instead of retaining
    /// the array.
    private static let shortSend = 4096

    /// Sends bytes.
    /// - Parameter completion: called once on the queue: with nil when the kernel has taken all
    ///   bytes, or with the error that prevents it.
    public func send(_ bytes: [UInt8], completion: sending ((SocketError?) -> Void)? = nil) {
        if completion == nil, bytes.count <= Connection.shortSend, isCurrent {
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
            connection.counters.sends &+= 1
            if connection.isSecured, let extras = connection.extras {
                connection.sendSecured(content, completion, extras)
            } else {
                connection.enqueue(content, completion)
            }
        }
    }

    /// Shuts the sending direction down, after all earlier sends (shutdown(2)). The peer may still
    /// send.
    public func closeOutput() {
        onQueue { connection in
            guard connection.isOpenForSending else { return }
            connection.settleSends()
            connection.isFinishing = true
            if connection.isSecured {
                connection.flush()
            } else if connection.outgoing.isEmpty {
                connection.drained()
            }
        }
    }

    private func enqueue(_ content: OutgoingQueue.Content, _ completion: SendCompletion?) {
        let isFirst = outgoing.isEmpty
        settleSends()
        outgoing.append(content, completion)
        if isFirst { flush() } else { updateWaterMarks() }
    }

    /// Ends the batch that has bytes of the connection. Those that the kernel has not taken are the
    /// first in the queue afterwards.
    func settleSends() {
        guard let rest = receiver?.settleSends() else { return }
        counters.bytesSent &-= UInt64(rest.count)
        outgoing.append(.bytes(rest), nil)
    }

    package func sendFailed() {
        settleSends()
        if !outgoing.isEmpty { flush() }
    }

    func flush() {
        repeat {
            if isSecured, let extras, let layer = extras.layer, !encryptAhead(extras, layer) {
                return
            }
            let error = outgoing.flush(to: descriptor, sent: &counters.bytesSent) { completion in
                hop { _ in completion.call(nil) }
            }
            if let error {
                if isSecured, let extras { return failSending(error, extras) }
                return tearDown(.failed(error), aborts: error.call == "sendfile")
            }
        } while isSecured && outgoing.isEmpty && mayEncrypt
        updateWaterMarks()
        if !outgoing.isEmpty {
            receiver?.waitUntilWritable()
        } else if isAllSent {
            drained()
        }
    }

    private var mayEncrypt: Bool {
        !isHandshaking && !(extras?.unencrypted.isEmpty ?? true)
    }

    /// The kernel has taken everything, including the layer's close_notify.
    var isAllSent: Bool {
        guard outgoing.isEmpty else { return false }
        guard isSecured, let extras else { return true }
        let isOver = isFinishing || phase == .closing
        return extras.unencrypted.isEmpty && (!isOver || extras.isCloseNotified)
    }

    package func becameWritable() {
        // The next attempt reports an error.
        if !outgoing.isEmpty { flush() }
    }

    func updateWaterMarks() {
        let unsent = unsentBytes
        if !isBackedUp && unsent > sendHighWaterBytes {
            isBackedUp = true
            updateReceiving()
        } else if isBackedUp && unsent <= sendLowWaterBytes {
            isBackedUp = false
            updateReceiving()
            handlers.writable?(self)
        }
    }
}
