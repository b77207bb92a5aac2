internal import RingDispatch

/// The received datagrams that a task has not taken. Belongs to the socket's queue.
final class DatagramInflow: @unchecked Sendable {
    // Safety: mutable state belongs to the socket's queue.
    private let socket: DatagramSocket
    let executor: QueueExecutor
    private let arrivals = Mailbox<[Datagram]>()
    /// Of the last batch, in reverse order.
    @exclusivity(unchecked) private var rest: [Datagram] = []
    @exclusivity(unchecked) private var isPaused = false
    @exclusivity(unchecked) private var failure: SocketError?

    init(_ socket: DatagramSocket) {
        self.socket = socket
        executor = QueueExecutor(socket.queue)
    }

    func activate() {
        if socket.confined.phase == .closed { return arrivals.finish() }
        socket.setReceiveHandler { [self] socket, batch in
            var all: [Datagram] = []
            batch.forEach { datagram, bytes in
                all.append(
                    Datagram(
                        bytes: bytes.withUnsafeBytes { Array($0) }, sender: datagram.sender,
                        returnPath: datagram.returnPath, isTruncated: datagram.isTruncated))
            }
            // The next batch is received when the task has taken this one.
            isPaused = true
            socket.pauseReceiving()
            arrivals.post { [all] in $0 = all }
        }
        socket.setCloseHandler { [self] _, error in
            failure = error
            arrivals.finish()
        }
        socket.activate()
    }

    /// Returns when the socket is closed.
    func close() async {
        guard socket.queue.isCurrent else {
            return await withTaskExecutorPreference(executor) { await close() }
        }
        socket.close()
    }

    func next() async throws -> Datagram? {
        guard socket.queue.isCurrent else {
            return try await withTaskExecutorPreference(executor) { try await next() }
        }
        if let datagram = rest.popLast() { return datagram }
        if isPaused {
            isPaused = false
            socket.resumeReceiving()
        }
        rest = await arrivals.next()?.reversed() ?? []
        if rest.isEmpty, let failure { throw failure }
        return rest.popLast()
    }
}
