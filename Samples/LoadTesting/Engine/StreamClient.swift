internal import RingDispatch
internal import RingNetwork

/// A stream connection of the load: sends messages, checks the answers, sends the next ones.
///
/// In steady state an answered message costs one recv(2) and one send(2), and allocates nothing.
final class StreamClient: LoadClient, @unchecked Sendable {
    // Safety: only the shard's queue touches the state.
    /// The most bytes passed to one send.
    private static let mostBytesInSend = 256 * 1024
    private static let reconnectMilliseconds = 100

    private var pending: PendingConnection?
    @exclusivity(unchecked) private var connection: Connection?
    @exclusivity(unchecked) private var exchange: Exchange
    @exclusivity(unchecked) private var inFlight: RingBuffer<Message>
    private var connectNanoseconds: UInt64 = 0
    /// Messages left before the connection is replaced.
    @exclusivity(unchecked) private var messagesLeft = Int.max
    @exclusivity(unchecked) private var isConnected = false
    /// True while the connection is closed and replaced.
    private var isRenewing = false
    private var hasConnectedOnce = false

    override init(shard: Shard, target: PreparedTarget) {
        exchange = shard.newExchange(target)
        inFlight = RingBuffer(capacity: shard.plan.pipeline)
        super.init(shard: shard, target: target)
    }

    override var room: Int { isConnected && !isRenewing ? min(inFlight.room, messagesLeft) : 0 }
    override var inFlightCount: Int { inFlight.count }
    override var dueTimes: [UInt64] { inFlight.elements.map(\.due) }

    // MARK: connecting

    override func connect() {
        connectNanoseconds = DispatchTime.now().uptimeNanoseconds
        let connector = target.connector(shard.nextSource())
        pending = connector.connect(to: target.endpoint, queue: shard.queue) { [self] result in
            pending = nil
            switch result {
            case .success(let connection): isOver ? shard.clientClosed() : adopt(connection)
            case .failure(let error): connectingFailed(error)
            }
        }
    }

    private func adopt(_ connection: Connection) {
        isRenewing = false
        self.connection = connection
        connection.setReceiveHandler { [self] _, span in span.withUnsafeBytes { receive($0) } }
        connection.setEndHandler { [self] _ in ended() }
        connection.setCloseHandler { [self] _, reason in closed(reason) }
        #if TLS
        if target.target.isSecured {
            connection.setHandshakeHandler { [self] _, _ in connected() }
            return connection.activate()
        }
        #endif
        connection.activate()
        connected()
    }

    private func connected() {
        isConnected = true
        hasConnectedOnce = true
        messagesLeft = shard.plan.messagesPerConnection ?? .max
        repeatUnanswered()
        shard.clientConnected(
            self, nanoseconds: DispatchTime.now().uptimeNanoseconds - connectNanoseconds)
    }

    private func connectingFailed(_ error: ConnectError) {
        guard !isOver else { return shard.clientClosed() }
        let finding = target.target.finding(of: error)
        guard !hasConnectedOnce else { return reconnect(after: finding) }
        isOver = true
        shard.reportConnected(LoadFailure(finding.detail))
        shard.clientClosed()
    }

    private func reconnect(after finding: Finding) {
        shard.errors.add(finding.kind, finding.detail)
        shard.queue.asyncAfter(
            deadline: .now() + .milliseconds(Self.reconnectMilliseconds)
        ) { [self] in isOver ? shard.clientClosed() : connect() }
    }

    // MARK: messages

    override func send(_ count: Int, due: UInt64, now: UInt64) {
        guard let connection, count > 0 else { return }
        let buffer = shard.buffer
        buffer.removeAll()
        for _ in 0..<count {
            exchange.write(into: buffer)
            inFlight.append(Message(due: due, sent: now))
            if buffer.count >= Self.mostBytesInSend {
                connection.send(buffer.bytes)
                buffer.removeAll()
            }
        }
        if messagesLeft != .max { messagesLeft -= count }
        connection.send(buffer.bytes)
    }

    /// Sends the messages that the last connection's server has not answered before its close.
    private func repeatUnanswered() {
        let messages = inFlight.elements
        inFlight.removeAll()
        // They keep their times: an answer counts as late however often a message was repeated.
        for message in messages { send(1, due: message.due, now: message.sent) }
    }

    private func receive(_ bytes: UnsafeRawBufferPointer) {
        guard isConnected, !isOver else { return }
        let now = DispatchTime.now().uptimeNanoseconds
        let before = exchange.answeredCount
        let finding = exchange.check(bytes)
        let count = Int(exchange.answeredCount &- before)
        shard.statistics.record(bytes: bytes.count)
        answered(count, now: now)
        if let finding { return fail(finding) }
        if count > 0 { continueSending(count, now: now) }
    }

    /// Records `count` answers to the oldest messages in flight.
    @inline(__always)
    private func answered(_ count: Int, now: UInt64) {
        for _ in 0..<count { shard.record(inFlight.removeOldest(), now: now) }
    }

    private func continueSending(_ count: Int, now: UInt64) {
        if exchange.isOver || inFlight.count == 0 && messagesLeft == 0 { return renew() }
        shard.clientHasRoom(self, answered: count, now: now)
    }

    // MARK: ending

    /// Whether a new connection follows: messages are unsent, or were dropped by the server.
    private var needsAnother: Bool { shard.hasMore || inFlight.count > 0 }

    private func renew() {
        isConnected = false
        if needsAnother { isRenewing = true } else { isOver = true }
        // Nobody reads requests that are still unsent.
        inFlight.count > 0 ? connection?.abort() : connection?.close()
        // This may have been the last answer.
        shard.reportIfAllAnswered()
    }

    private func ended() {
        guard isConnected, !isOver else { return }
        let before = exchange.answeredCount
        let finding = exchange.findingAtEnd()
        answered(Int(exchange.answeredCount &- before), now: DispatchTime.now().uptimeNanoseconds)
        if let finding { return fail(finding) }
        if exchange.isOver { return renew() }
        fail(Finding(.closedByServer, "the server closed a connection"))
    }

    override func failIfStalled(sentBefore deadline: UInt64) -> [UInt64] {
        guard isWaitingForAnswer, let oldest = inFlight.oldest, oldest.sent < deadline else {
            return []
        }
        let (number, dueTimes) = (exchange.answeredCount, dueTimes)
        fail(
            exchange.partialBytes > 0
                ? Finding(
                    .truncation,
                    "answer \(number) is incomplete: \(exchange.partialBytes) bytes received")
                : Finding(.stalled, "no answer to message \(number) in time"))
        return dueTimes
    }

    private func fail(_ finding: Finding) {
        guard !isOver else { return }
        isOver = true
        shard.errors.add(finding.kind, finding.detail)
        pending?.cancel()
        connection?.close()
        shard.clientFailed()
    }

    override func close() {
        guard !isOver else { return }
        isOver = true
        // The connector's completion reports the end.
        pending?.cancel()
        connection?.close()
    }

    private func closed(_ reason: CloseReason) {
        let wasConnected = isConnected
        connection = nil
        isConnected = false
        if !isOver, !isRenewing {
            let finding = target.finding(of: reason)
            // The handshake of a replaced connection has failed.
            if !wasConnected, hasConnectedOnce { return reconnect(after: finding) }
            lost(finding)
        }
        guard isRenewing, !isOver, needsAnother else {
            inFlight.removeAll()
            return shard.clientClosed()
        }
        exchange = shard.newExchange(target)
        connect()
    }

    private func lost(_ finding: Finding) {
        isOver = true
        if hasConnectedOnce {
            shard.errors.add(finding.kind, finding.detail)
            shard.clientFailed()
        } else {
            shard.reportConnected(LoadFailure(finding.detail))
        }
    }
}
