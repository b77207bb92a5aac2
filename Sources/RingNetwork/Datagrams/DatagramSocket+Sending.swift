internal import LinuxPlatform
internal import RingDispatch

extension DatagramSocket {
    /// Whether the kernel had room at the last attempt, on a Unix socket for each peer. While it
    /// has none, datagrams are queued, up to ``DatagramOptions/sendQueueBytes``. On the queue.
    public var isWritable: Bool {
        checkCurrent()
        return !confined.isBlocked && confined.fullPeers.isEmpty
    }

    /// The size of the send queue: the datagrams' bytes, plus 64 for each. On the queue.
    public var queuedBytes: Int {
        checkCurrent()
        return confined.outgoing.cost + confined.fullPeersCost
    }

    // MARK: one datagram

    /// Sends a datagram whose bytes are valid only during the call.
    /// - Parameters:
    ///   - bytes: the payload.
    ///   - endpoint: resolved; nil: the peer of a connected socket. Without a peer, nil ends the
    ///     process. A name goes to the error handler, with EDESTADDRREQ.
    public func send(_ bytes: RawSpan, to endpoint: Endpoint? = nil) {
        bytes.withUnsafeBytes { send($0, to: endpoint) }
    }

    /// Sends a datagram whose bytes are valid only during the call.
    public func send(_ bytes: UnsafeRawBufferPointer, to endpoint: Endpoint? = nil) {
        guard isCurrent else { return send(Array(bytes), to: endpoint) }
        guard let address = address(of: endpoint, datagrams: 1) else { return }
        submit(bytes, to: address, path: nil)
    }

    /// Sends a datagram.
    /// - Parameters:
    ///   - bytes: the payload.
    ///   - endpoint: resolved; nil: the peer of a connected socket. Without a peer, nil ends the
    ///     process. A name goes to the error handler, with EDESTADDRREQ.
    public func send(_ bytes: [UInt8], to endpoint: Endpoint? = nil) {
        onQueue { socket in bytes.withUnsafeBytes { socket.send($0, to: endpoint) } }
    }

    /// Answers a datagram, from the address that it was sent to, if known. In the receive handler,
    /// bytes of the batch are not copied.
    public func reply(_ bytes: RawSpan, to datagram: borrowing ReceivedDatagram) {
        guard isCurrent else {
            let path = datagram.returnPath
            return bytes.withUnsafeBytes { reply(Array($0), along: path) }
        }
        let entry = datagram.entry
        let inbox = datagram.inbox
        bytes.withUnsafeBytes {
            submitReply($0, to: inbox.receiver.address(at: entry), path: inbox.facts[entry].path)
        }
    }

    /// Answers a datagram later.
    public func reply(_ bytes: [UInt8], along path: DatagramReturnPath) {
        onQueue { socket in
            bytes.withUnsafeBytes { socket.submitReply($0, to: path.address, path: path.path) }
        }
    }

    // MARK: several datagrams

    /// Sends several datagrams to one peer. Those of equal length, and a shorter last one, go to
    /// the kernel as one message (UDP_SEGMENT).
    /// - Parameters:
    ///   - datagrams: their payloads.
    ///   - endpoint: resolved; nil: the peer of a connected socket. Without a peer, nil ends the
    ///     process. A name goes to the error handler, with EDESTADDRREQ.
    public func send(_ datagrams: [[UInt8]], to endpoint: Endpoint? = nil) {
        onQueue { socket in
            guard let address = socket.address(of: endpoint, datagrams: datagrams.count) else {
                return
            }
            socket.together {
                for bytes in datagrams {
                    bytes.withUnsafeBytes { socket.submit($0, to: address, path: nil) }
                }
            }
        }
    }

    /// Sends several datagrams with as few calls of sendmmsg(2) as possible.
    public func send(_ datagrams: [OutgoingDatagram]) {
        onQueue { socket in
            socket.together {
                for datagram in datagrams {
                    datagram.bytes.withUnsafeBytes { socket.send($0, to: datagram.endpoint) }
                }
            }
        }
    }

    /// Sends the datagrams that the receive handler has batched so far. Outside of the handler
    /// datagrams are not batched. On the queue.
    public func flush() {
        guard isCurrent else { return hop { $0.flush() } }
        flushUnlessBlocked()
    }

    // MARK: on the queue

    /// The address, or none (`.some(nil)`) for a connected peer. Returns nil, after a report to the
    /// error handler, if the endpoint has no address.
    private func address(of endpoint: Endpoint?, datagrams: Int) -> SocketAddress?? {
        guard isOpenForSending else {
            confined.tally.datagramsDropped &+= UInt64(datagrams)
            return nil
        }
        guard let endpoint else {
            if isConnected { return .some(nil) }
            fatalMisuse(
                "datagram socket '\(queue.label)' is not connected: give send an endpoint")
        }
        do throws(EndpointError) {
            return try endpoint.socketAddress()
        } catch {
            refuse(
                endpoint, datagrams,
                SocketError("sendmmsg", ErrorCode.destinationRequired, remedy: "\(error)"))
            return nil
        }
    }

    func refuse(_ endpoint: Endpoint?, _ datagrams: Int, _ error: SocketError) {
        confined.tally.datagramsRefused &+= UInt64(datagrams)
        report(DatagramFailure(endpoint: endpoint, unsentDatagrams: datagrams, cause: error))
    }

    private func submitReply(
        _ bytes: UnsafeRawBufferPointer, to address: SocketAddress, path: DatagramPath?
    ) {
        if isConnected { return submit(bytes, to: nil, path: nil) }
        guard address.isNamed else {
            return refuse(
                nil, 1,
                SocketError(
                    "sendmmsg", ErrorCode.destinationRequired,
                    remedy: "the sender is an unnamed Unix socket: it must be bound"))
        }
        submit(bytes, to: address, path: path)
    }

    /// Queues a datagram, unless the queue is full, and sends it now or at the end of the batch.
    func submit(
        _ bytes: UnsafeRawBufferPointer, to address: SocketAddress?, path: DatagramPath?
    ) {
        let cost = bytes.count + OutgoingDatagrams.entryBytes
        let fullPeer = address.flatMap { confined.fullPeers[$0] }
        let mustWait = confined.isBlocked || fullPeer != nil
        guard isOpenForSending, !mustWait || waitingBytes + cost <= options.sendQueueBytes else {
            confined.tally.datagramsDropped &+= 1
            return
        }
        if let fullPeer {
            fullPeer.outgoing.append(bytes, isLasting: false, to: address, path: path)
            confined.fullPeersCost += cost
            return
        }
        // During the handler, datagrams wait for the end of the batch; only bytes of the batch last
        // as long.
        let isLasting = !confined.isHandling || confined.inbox?.receiver.contains(bytes) == true
        confined.outgoing.append(
            bytes, isLasting: isLasting && !confined.isBlocked, to: address, path: path)
        if confined.isHandling && confined.outgoing.count < DatagramSocket.mostTogether { return }
        flushUnlessBlocked()
        if !confined.isHandling { confined.outgoing.keepBorrowed() }
    }

    /// Most datagrams that wait for the end of the handler.
    private static let mostTogether = 512

    /// Sends the datagrams of `body` as one batch.
    private func together(_ body: () -> Void) {
        let before = confined.isHandling
        confined.isHandling = true
        body()
        confined.isHandling = before
        if !before { flushUnlessBlocked() }
    }

    private func flushUnlessBlocked() {
        guard !confined.isBlocked, !confined.outgoing.isEmpty, isOpenForSending else { return }
        if sendPassingFullPeers() { return }
        confined.isBlocked = true
        confined.outgoing.keepBorrowed()
        waitUntilWritable()
    }

    /// Sends the datagrams of a queue. Returns false if the kernel has no more room.
    func sendAll(_ outgoing: OutgoingDatagrams) -> Bool {
        let sender = confined.sender ?? DatagramSender()
        confined.sender = sender
        while !outgoing.isEmpty {
            let count = outgoing.sendBatch(sender, confined.segmentLimit) { send(sender) }
            if count > 0 {
                confined.segmentLimit.single(isTaken: true)
                noteSent(outgoing, messages: count)
                continue
            }
            if count == Sockets.wouldBlock { return false }
            sendingFailed(outgoing, Int32(-count))
        }
        return true
    }

    /// An error of a connected socket may belong to an earlier datagram. Then nothing was sent, and
    /// another attempt ends in another way.
    private func send(_ sender: DatagramSender) -> Int {
        let count = sender.send(descriptor)
        guard isConnected, count < 0, ErrorCode.isFromPeer(Int32(-count)) else { return count }
        let next = sender.send(descriptor)
        if next != count {
            let error = SocketError("sendmmsg", Int32(-count))
            report(DatagramFailure(endpoint: remoteEndpoint, unsentDatagrams: 0, cause: error))
        }
        return next
    }

    private func noteSent(_ outgoing: OutgoingDatagrams, messages: Int) {
        confined.tally.sendCalls &+= 1
        var datagrams = 0
        for message in 0..<messages {
            let run = outgoing.runs[message]
            datagrams += run
            if run > 1 { confined.tally.datagramsSegmented &+= UInt64(run) }
        }
        confined.tally.datagramsSent &+= UInt64(datagrams)
        confined.tally.bytesSent &+= UInt64(outgoing.removeFirst(datagrams))
    }

    /// Handles the refusal of the batch's first message.
    private func sendingFailed(_ outgoing: OutgoingDatagrams, _ code: Int32) {
        let datagrams = outgoing.runs[0]
        if datagrams > 1,
            confined.segmentLimit.refused(code, segmentBytes: outgoing.next.count)
        {
            return
        }
        confined.segmentLimit.single(isTaken: false)
        let endpoint = outgoing.next.address.map { Endpoint($0) } ?? remoteEndpoint
        outgoing.removeFirst(datagrams)
        refuse(endpoint, datagrams, SocketError("sendmmsg", code))
    }
}
