internal import Ring
public import RingDispatch

extension Connection {
    /// Whether the peer keeps up: false while more than the high water mark of bytes wait to be
    /// sent. On the queue.
    public var isWritable: Bool { !isBackedUp }

    /// Bytes that were sent and that the kernel has not taken. On the queue.
    public var unsentBytes: Int { outgoing.byteCount }

    /// Sends bytes that the caller keeps only during the call. The kernel gets them at once, as
    /// many as it takes; the rest is copied.
    @inline(__always)
    public func send(_ bytes: RawSpan) { bytes.withUnsafeBytes { send($0) } }

    /// The same.
    public func send(_ bytes: UnsafeRawBufferPointer) {
        guard isCurrent else { return send(Array(bytes)) }
        guard isOpenForSending else { return }
        var count = 0
        if outgoing.isEmpty {
            count = Sockets.send(descriptor, bytes)
            if count == bytes.count {
                counters.bytesSent &+= UInt64(count)
                return
            }
            // An error comes up again at the next attempt.
            count = max(0, count)
            counters.bytesSent &+= UInt64(count)
        }
        enqueue(.bytes(Array(bytes[count...])), nil)
    }

    /// - Parameter completion: called once on the queue: with nil when the kernel has all bytes, or
    ///   with why it will not get them.
    public func send(_ bytes: [UInt8], completion: ((SocketError?) -> Void)? = nil) {
        send(.bytes(bytes), completion.map { SendCompletion($0) })
    }

    /// The data's regions are not copied.
    public func send(_ data: DispatchData, completion: ((SocketError?) -> Void)? = nil) {
        send(.data(data), completion.map { SendCompletion($0) })
    }

    private func send(_ content: OutgoingQueue.Content, _ completion: SendCompletion?) {
        onQueue { connection in
            guard connection.isOpenForSending else {
                connection.hop { _ in
                    completion?.call(SocketError("send", ErrorCode.brokenPipe))
                }
                return
            }
            connection.enqueue(content, completion)
        }
    }

    /// Sends nothing more: the peer is told once it has everything (shutdown(2)), and may still
    /// send.
    public func finishSending() {
        onQueue { connection in
            guard connection.isOpenForSending else { return }
            connection.isFinishing = true
            if connection.outgoing.isEmpty { connection.drained() }
        }
    }

    private func enqueue(_ content: OutgoingQueue.Content, _ completion: SendCompletion?) {
        let isFirst = outgoing.isEmpty
        outgoing.append(content, completion)
        if isFirst { flush() } else { updateWaterMarks() }
    }

    private func flush() {
        let code = outgoing.flush(to: descriptor, sent: &counters.bytesSent) { completion in
            hop { _ in completion.call(nil) }
        }
        if code != 0 {
            tearDown(.failed(SocketError("send", code)))
            return
        }
        updateWaterMarks()
        if outgoing.isEmpty { drained() } else { waitUntilWritable() }
    }

    private func waitUntilWritable() {
        if watch == nil, let receiver {
            // The connection lives while it is open, and the watch is quiet when it is closed.
            watch = WritableWatch(of: receiver) { [unowned self] _ in becameWritable() }
        }
        watch?.start()
    }

    private func becameWritable() {
        finishIfQuiet()
        // An error shows at the next attempt.
        if !outgoing.isEmpty { flush() }
    }

    private func updateWaterMarks() {
        if !isBackedUp && outgoing.byteCount > options.sendHighWaterBytes {
            isBackedUp = true
            updateReceiving()
        } else if isBackedUp && outgoing.byteCount <= options.sendLowWaterBytes {
            isBackedUp = false
            updateReceiving()
            handlers.writable?(self)
        }
    }
}
