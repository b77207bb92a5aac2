internal import LinuxPlatform
internal import RingDispatch

/// A peer of a Unix socket that has no room. Its datagrams wait here, so that those for others
/// leave. Belongs to the socket's queue.
final class FullPeer {
    let address: SocketAddress
    let outgoing = OutgoingDatagrams()
    var pause: DispatchScheduledItem?

    /// With their pauses about a second.
    static let mostFruitlessAttempts = 16

    init(_ address: SocketAddress) { self.address = address }
}

// Waiting for room. On the queue.
extension DatagramSocket {
    /// The size of the queues that wait for room.
    var waitingBytes: Int {
        confined.fullPeersCost + (confined.isBlocked ? confined.outgoing.cost : 0)
    }

    // MARK: the kernel

    func waitUntilWritable() {
        guard confined.phase == .active, confined.sendPause == nil else { return }
        // With several peers, a Unix socket may count as not writable although it has room.
        if isUnix && !isConnected { return pauseSending() }
        if confined.writeWait == nil {
            // The socket retains itself while it is active, and a cancelled wait calls nothing.
            confined.writeWait = ReadinessWait(
                descriptor: descriptor, queue: queue, events: PollEvents.writable
            ) { [unowned self] _ in becameWritable() }
        }
        confined.writeWait?.start()
    }

    private func becameWritable() {
        let before = confined.outgoing.count
        guard sendPassingFullPeers() else {
            confined.outgoing.noteAttempt(countBefore: before)
            return confined.outgoing.fruitlessAttempts > 1 ? pauseSending() : waitUntilWritable()
        }
        confined.isBlocked = false
        callWritableHandler()
    }

    /// Polls with a timer while readiness does not tell whether the socket has room.
    private func pauseSending() {
        let pause = DatagramSocket.pause(after: confined.outgoing.fruitlessAttempts)
        confined.sendPause = queue.scheduleAfter(deadline: .now() + pause) { [weak self] in
            self?.confined.sendPause = nil
            self?.becameWritable()
        }
    }

    private func callWritableHandler() {
        if isWritable { confined.handlers.writable?(self) }
    }

    // MARK: full peers

    /// Sends the queue, without the datagrams for Unix peers that have no room. Returns false if
    /// the kernel has no more room.
    func sendPassingFullPeers() -> Bool {
        while !sendAll(confined.outgoing) {
            guard isUnix, let address = confined.outgoing.next.address, !isBufferUsedUp else {
                return false
            }
            let peer = FullPeer(address)
            confined.fullPeers[address] = peer
            confined.outgoing.removeAll(to: address) { submit($0, to: address, path: $1) }
            waitUntilWritable(peer)
        }
        return true
    }

    /// What peers of a Unix socket have not received counts as the sender's, up to SO_SNDBUF. Then
    /// the kernel has no room for any peer.
    private var isBufferUsedUp: Bool { Descriptors.bytesWritable(descriptor) == 0 }

    /// Polls with a timer: no notification says when the peer has room.
    func waitUntilWritable(_ peer: FullPeer) {
        guard confined.phase == .active, peer.pause == nil else { return }
        let pause = DatagramSocket.pause(after: peer.outgoing.fruitlessAttempts)
        let address = peer.address
        peer.pause = queue.scheduleAfter(deadline: .now() + pause) { [weak self] in
            guard let self, let peer = confined.fullPeers[address] else { return }
            peer.pause = nil
            sendAgain(to: peer)
        }
    }

    private func sendAgain(to peer: FullPeer) {
        let (before, cost) = (peer.outgoing.count, peer.outgoing.cost)
        let isOver = sendAll(peer.outgoing)
        let count = peer.outgoing.count
        if !isOver { peer.outgoing.noteAttempt(countBefore: before) }
        let isGivenUp = peer.outgoing.fruitlessAttempts > FullPeer.mostFruitlessAttempts
        if isGivenUp { peer.outgoing.removeFirst(count) }
        confined.fullPeersCost -= cost - peer.outgoing.cost
        guard isOver || isGivenUp else { return waitUntilWritable(peer) }
        confined.fullPeers[peer.address] = nil
        if isGivenUp {
            let error = SocketError(
                "sendmmsg", Int32(-Sockets.wouldBlock),
                remedy: "the peer had no room for a second: it does not receive")
            refuse(Endpoint(peer.address), count, error)
        }
        callWritableHandler()
    }
}
