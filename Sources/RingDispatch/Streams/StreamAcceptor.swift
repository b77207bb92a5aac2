internal import LinuxPlatform

/// Accepts connections, and passes each one to the client on the queue.
package final class StreamAcceptor: DescriptorWatch, @unchecked Sendable {
    // Safety: the mutable field belongs to the queue.
    private unowned(unsafe) let client: any StreamAcceptorClient
    @exclusivity(unchecked) private var isPaused = true

    /// - Parameter descriptor: a listening socket with O_NONBLOCK set.
    package init(descriptor: Int32, queue: DispatchQueue, client: any StreamAcceptorClient) {
        self.client = client
        super.init(descriptor: descriptor, queue: queue, events: PollEvents.readable)
    }

    // MARK: on the queue

    /// Begins to accept, or goes on after a pause or an error.
    package func resume() {
        guard isPaused else { return }
        isPaused = false
        if isWatching { return callReady() }
        let code = begin()
        if code != 0 { queue.submit { [self] in fail(-code) } }
    }

    /// Stops to accept. Waiting connections stay in the kernel's backlog.
    package func pause() { isPaused = true }

    // MARK: events

    override func ready(_ events: UInt32, _ context: Context) -> Bool {
        var peer = SocketAddress()
        for _ in 0..<Tuning.acceptsInARow where !isPaused && isWatching {
            let accepted = Sockets.accept(descriptor, peer: &peer)
            switch -accepted {
            case ...0: client.accepted(accepted, from: peer)
            case ErrorCode.tryAgain: return false
            case ErrorCode.interrupted: continue
            default:
                fail(accepted)
                return false
            }
        }
        return !isPaused
    }

    private func fail(_ result: Int32) {
        isPaused = true
        client.acceptingFailed(result)
    }
}
