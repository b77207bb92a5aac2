internal import RingDispatch
internal import RingNetwork

/// A socket of the load that sends datagrams. A lost datagram counts as an error, and the socket
/// continues. Reordered answers are accepted and counted.
final class DatagramClient: LoadClient, @unchecked Sendable {
    // Safety: only the shard's queue touches the state; it is the target of the socket's queue.
    private var socket: DatagramSocket?
    private let seed: UInt64
    private var writtenCount: UInt64 = 0
    /// The messages in flight by number, oldest first.
    private var waiting: [(number: UInt64, message: Message)] = []
    private var highestAnswered: UInt64?

    override init(shard: Shard, target: PreparedTarget) {
        seed = shard.nextSeed()
        super.init(shard: shard, target: target)
    }

    override var room: Int { shard.plan.pipeline - waiting.count }
    override var inFlightCount: Int { waiting.count }
    override var dueTimes: [UInt64] { waiting.map(\.message.due) }

    override func connect() {
        do {
            let local = target.connector(shard.nextSource()).options.localEndpoint
            let socket = try DatagramSocket(
                connectingTo: target.endpoint, from: local, target: shard.queue)
            self.socket = socket
            socket.setReceiveHandler { [self] _, batch in
                let now = DispatchTime.now().uptimeNanoseconds
                batch.forEach { _, span in span.withUnsafeBytes { receive($0, now: now) } }
            }
            socket.setErrorHandler { [self] _, failure in failed(failure) }
            socket.setCloseHandler { [self] _, _ in closed() }
            socket.activate()
            shard.queue.async { [self] in shard.clientConnected(self, nanoseconds: 0) }
        } catch {
            isOver = true
            shard.queue.async { [self] in
                shard.reportConnected(LoadFailure("\(error)"))
                shard.clientClosed()
            }
        }
    }

    override func send(_ count: Int, due: UInt64, now: UInt64) {
        guard let socket else { return }
        for _ in 0..<count {
            shard.buffer.removeAll()
            shard.payload.write(writtenCount, seed: seed, into: shard.buffer)
            waiting.append((writtenCount, Message(due: due, sent: now)))
            writtenCount &+= 1
            socket.send(shard.buffer.bytes)
        }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer, now: UInt64) {
        guard !isOver else { return }
        shard.statistics.record(bytes: bytes.count)
        guard let number = shard.payload.number(of: bytes, seed: seed), number < writtenCount
        else { return wrong(.mismatch, "received a datagram that was never sent") }
        guard let place = waiting.firstIndex(where: { $0.number == number }) else {
            return wrong(.duplicate, "datagram \(number) was received twice, or too late")
        }
        let size = shard.payload.size(number, seed: seed)
        guard bytes.count >= size else {
            return wrong(.truncation, "datagram \(number) was received with \(bytes.count) bytes")
        }
        guard bytes.count == size,
            shard.payload.matches(number, seed: seed, position: 0, bytes)
        else { return wrong(.mismatch, "wrong bytes in datagram \(number)") }
        if let highest = highestAnswered, number < highest {
            wrong(.reorder, "datagram \(number) was received after \(highest)")
        }
        highestAnswered = max(highestAnswered ?? 0, number)
        shard.record(waiting.remove(at: place).message, now: now)
        shard.clientHasRoom(self, answered: 1, now: now)
    }

    private func wrong(_ kind: ErrorCounts.Kind, _ detail: String) {
        shard.errors.add(kind, detail)
    }

    private func failed(_ failure: DatagramFailure) {
        guard !isOver else { return }
        let isRefused = failure.cause.code == .connectionRefused
        let text = "nobody receives at \(target.target.place): is the server running?"
        wrong(isRefused ? .refused : .send, isRefused ? text : "\(failure)")
        // A refused socket reports every datagram; one report is enough.
        isOver = true
        socket?.close()
        shard.clientFailed()
    }

    override func failIfStalled(sentBefore deadline: UInt64) -> [UInt64] {
        guard !isOver else { return [] }
        var lost: [UInt64] = []
        while let oldest = waiting.first, oldest.message.sent < deadline {
            wrong(.stalled, "no answer to datagram \(oldest.number) in time")
            waiting.removeFirst()
            lost.append(oldest.message.due)
        }
        if !lost.isEmpty {
            let now = DispatchTime.now().uptimeNanoseconds
            shard.clientHasRoom(self, answered: lost.count, now: now)
        }
        return lost
    }

    override func close() {
        guard !isOver else { return }
        isOver = true
        socket?.close()
    }

    private func closed() {
        socket = nil
        waiting = []
        // Deferred, so that it runs after the socket's own work.
        shard.queue.async { [self] in shard.clientClosed() }
    }
}
