internal import LinuxPlatform
internal import RingDispatch

/// The received datagrams that a task has not taken. Belongs to the socket's queue.
final class DatagramInflow: Confining {
    private let socket: DatagramSocket
    let executor: QueueExecutor
    private let arrivals = Mailbox<[Datagram]>()
    /// The state that belongs to the socket's queue.
    let store = Confined(State())

    struct State {
        /// Of the last batch, in reverse order.
        fileprivate var rest: [Datagram] = []
        /// Receiving is paused, and the task has taken the last batch.
        fileprivate var mayResume = false
        fileprivate var failure: SocketError?
    }

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
            socket.pauseReceiving()
            arrivals.post { [all] in $0 = all }
        }
        socket.setCloseHandler { [self] _, error in
            confined.failure = error
            arrivals.finish()
        }
        socket.activate()
    }

    func next() async throws -> Datagram? {
        guard executor.isCurrent else {
            return try await withTaskExecutorPreference(executor) { try await next() }
        }
        if let datagram = confined.rest.popLast() { return datagram }
        if confined.mayResume {
            confined.mayResume = false
            socket.resumeReceiving()
        }
        // A cancelled task leaves the batch, for the next one, which may have taken it already.
        guard let batch = await arrivals.next() else {
            if let failure = confined.failure { throw failure }
            return nil
        }
        confined.rest = batch.reversed()
        confined.mayResume = true
        return confined.rest.popLast()
    }
}
