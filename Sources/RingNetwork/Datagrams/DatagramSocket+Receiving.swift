internal import LinuxPlatform
internal import RingDispatch

extension DatagramSocket {
    /// Starts or cancels the wait for datagrams, as the socket's state requires.
    func updateReceiving() {
        guard isReceiving else {
            confined.readWait?.cancel()
            return
        }
        guard confined.receivePause == nil else { return }
        if confined.readWait == nil {
            // The socket retains itself while it is active, and a cancelled wait calls nothing.
            confined.readWait = ReadinessWait(
                descriptor: descriptor, queue: queue, events: PollEvents.readable
            ) { [unowned self] in becameReadable($0) }
        }
        // While the handler runs, `becameReadable` starts the wait again.
        if !confined.isHandling { confined.readWait?.start() }
    }

    private func becameReadable(_ events: UInt32) {
        guard events & PollEvents.invalid == 0 else {
            return tearDown(SocketError("epoll_ctl", ErrorCode.badDescriptor))
        }
        receive(events)
        if confined.phase == .active { updateReceiving() }
    }

    private func receive(_ events: UInt32) {
        let inbox = makeInbox()
        var hasReceived = false
        for _ in 0..<options.batchesInARow where isReceiving {
            let count = inbox.receive(descriptor)
            if count < 0 {
                if count == Sockets.wouldBlock { break }
                let code = Int32(-count)
                let error = SocketError("recvmmsg", code)
                if code == ErrorCode.badDescriptor || code == ErrorCode.notSocket {
                    return tearDown(error)
                }
                report(DatagramFailure(endpoint: remoteEndpoint, unsentDatagrams: 0, cause: error))
                hasReceived = hasReceived || ErrorCode.isFromPeer(code)
                continue
            }
            hasReceived = true
            deliver(inbox, count)
            if count < inbox.receiver.capacity { break }
        }
        confined.fruitlessTurns = hasReceived ? 0 : confined.fruitlessTurns + 1
        // A Unix socket has no such queue, and would lose a datagram.
        if events & PollEvents.error != 0, !isUnix, confined.phase == .active {
            Datagrams.dropErrorQueue(descriptor)
        }
        if confined.fruitlessTurns >= DatagramSocket.mostFruitlessTurns { pauseFruitless() }
    }

    /// Not inlined, because the optimizer of Swift 6.3 crashes when it moves the batch into the
    /// caller.
    @inline(never)
    private func deliver(_ inbox: DatagramInbox, _ count: Int) {
        inbox.count(count, into: &confined.tally, drops: &confined.seenDrops)
        guard let handler = confined.handlers.receive else { return }
        confined.isHandling = true
        let batch = ReceivedDatagrams(inbox: inbox, entryCount: count)
        handler(self, batch)
        confined.isHandling = false
        // Answers may point into the batch, whose memory the next one overwrites.
        if !confined.outgoing.isEmpty { flush() }
    }

    /// A socket can be readable without a datagram, for example after a wrong checksum. If that
    /// persists, the socket is polled less often.
    private func pauseFruitless() {
        let turns = confined.fruitlessTurns - DatagramSocket.mostFruitlessTurns
        let pause = DatagramSocket.pause(after: turns)
        confined.receivePause = queue.scheduleAfter(deadline: .now() + pause) { [weak self] in
            self?.confined.receivePause = nil
            self?.updateReceiving()
        }
    }

    private static let mostFruitlessTurns = 64
    /// The failures that are kept until the activation.
    private static let mostFailuresInSetup = 64

    /// Doubles with each turn, up to 100 ms.
    static func pause(after fruitlessTurns: Int) -> DispatchTimeInterval {
        .milliseconds(min(1 << min(fruitlessTurns, 7), 100))
    }

    // MARK: errors

    /// Reports to the error handler asynchronously, so the handler can be set in time, and may
    /// send.
    func report(_ failure: DatagramFailure) {
        // The handler runs after `activate`, which may never be called.
        let isFull = confined.failures.count >= DatagramSocket.mostFailuresInSetup
        if isFull && confined.phase == .setup { return }
        confined.failures.append(failure)
        if confined.failures.count == 1 && confined.phase != .setup { reportFailures() }
    }

    func reportFailures() {
        hop { socket in
            let failures = socket.confined.failures
            socket.confined.failures = []
            for failure in failures { socket.confined.handlers.error?(socket, failure) }
        }
    }
}
