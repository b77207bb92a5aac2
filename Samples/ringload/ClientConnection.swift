import RingDispatch

/// One connection of the load: sends messages, checks their echoes, sends the next ones. Confined
/// to its shard's queue.
///
/// In steady state an answered message costs one event, one recv(2) and one send(2), and allocates
/// nothing. The write source exists while connecting and while the server does not take the bytes.
final class ClientConnection: @unchecked Sendable {
    /// Receives at one event before other connections get a turn.
    private static let readsPerEvent = 16

    private let descriptor: Int32
    /// The connection's own start value for its messages' headers.
    private let seed: UInt64
    /// A cycle, which the shard opens when all connections are closed.
    private let shard: Shard
    private let payload: Payload
    private let pipeline: Int

    private var reader: (any DispatchSourceRead)?
    private var writer: (any DispatchSourceWrite)?
    private var isWriterSuspended = false
    private var liveSources = 0
    private var isClosed = false

    /// Messages being sent; the next batch is built here when all of this one is out.
    private let outgoing: RawStorage
    private var unsent = 0..<0
    /// Messages to be built when `unsent` is out.
    private var owed = 0

    private var sentNumber: UInt64 = 0
    private var receivedNumber: UInt64 = 0
    /// Bytes of message `receivedNumber` that came and were right.
    private var position = 0
    /// When the messages under way were sent: a ring with one place a message.
    private var sendTimes: [UInt64]
    private var oldestSlot = 0
    private var nextSlot = 0

    init(descriptor: Int32, seed: UInt64, shard: Shard, payload: Payload, pipeline: Int) {
        self.descriptor = descriptor
        self.seed = seed
        self.shard = shard
        self.payload = payload
        self.pipeline = pipeline
        outgoing = RawStorage(capacity: payload.sizeBytes * pipeline)
        sendTimes = [UInt64](repeating: 0, count: pipeline)
    }

    var isWaitingForEcho: Bool { !isClosed && receivedNumber != sentNumber }

    // MARK: Connecting

    /// Waits until the connection attempt is over.
    func waitUntilConnected(_ completion: @escaping @Sendable (SystemError?) -> Void) {
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: shard.queue)
        source.setEventHandler { [self] in
            guard let source = writer, reader == nil else { return }
            writer = nil
            source.cancel()
            let error = connectError(of: descriptor)
            if error == nil { startReading() }
            completion(error)
        }
        adopt(source)
        writer = source
        source.activate()
    }

    private func startReading() {
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: shard.queue)
        source.setEventHandler { self.receive() }
        adopt(source)
        reader = source
        source.activate()
    }

    // MARK: Messages

    /// Sends the first messages.
    func start() {
        guard !isClosed else { return }
        send(pipeline, at: MonotonicClock.nanoseconds())
    }

    private func receive() {
        let incoming = shard.incoming
        for _ in 0..<Self.readsPerEvent {
            guard !isClosed else { return }
            switch incoming.receive(from: descriptor) {
            case .bytes(let count):
                let now = MonotonicClock.nanoseconds()
                guard let messages = check(count, in: incoming, at: now) else {
                    return fail(.mismatch, "wrong bytes at message \(receivedNumber)")
                }
                shard.statistics.record(bytes: count)
                if messages > 0, shard.isSending { send(messages, at: now) }
                // A short read emptied the socket: no need to hear EAGAIN.
                if count < incoming.capacity { return }
            case .wouldBlock:
                return
            case .endOfFile:
                return fail(.closedByServer, "the server closed a connection")
            case .failed(let code):
                return fail(.receive, "receiving failed: \(errnoText(code))")
            }
        }
    }

    /// Compares what came with what must come; nil when it differs, else the messages completed.
    private func check(_ count: Int, in incoming: RawStorage, at now: UInt64) -> Int? {
        var offset = 0
        var messages = 0
        while offset < count {
            guard receivedNumber != sentNumber else { return nil }  // an echo of nothing
            let part = min(payload.sizeBytes - position, count - offset)
            guard
                payload.matches(
                    receivedNumber, seed: seed, position: position,
                    in: incoming, at: offset, count: part)
            else { return nil }
            offset += part
            position += part
            guard position == payload.sizeBytes else { break }
            position = 0
            receivedNumber += 1
            messages += 1
            shard.statistics.record(latencyNanoseconds: now - sendTimes[oldestSlot])
            oldestSlot = oldestSlot + 1 == pipeline ? 0 : oldestSlot + 1
        }
        return messages
    }

    /// Sends `count` new messages, or as soon as the ones before them are out.
    private func send(_ count: Int, at now: UInt64) {
        owed += count
        guard unsent.isEmpty else { return }
        for index in 0..<owed {
            payload.write(sentNumber, seed: seed, into: outgoing, at: index * payload.sizeBytes)
            sentNumber += 1
            sendTimes[nextSlot] = now
            nextSlot = nextSlot + 1 == pipeline ? 0 : nextSlot + 1
        }
        unsent = 0..<owed * payload.sizeBytes
        owed = 0
        sendUnsent()
    }

    private func sendUnsent() {
        while !unsent.isEmpty {
            switch outgoing.send(unsent, to: descriptor) {
            case .bytes(let count):
                unsent = unsent.lowerBound + count..<unsent.upperBound
            case .wouldBlock:
                return waitForRoom()
            case .endOfFile:
                return
            case .failed(let code):
                return fail(.send, "sending failed: \(errnoText(code))")
            }
        }
    }

    private func waitForRoom() {
        if let writer {
            if isWriterSuspended { writer.resume() }
            isWriterSuspended = false
            return
        }
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: shard.queue)
        source.setEventHandler { self.roomAvailable() }
        adopt(source)
        writer = source
        source.activate()
    }

    private func roomAvailable() {
        guard !isClosed, !isWriterSuspended else { return }
        sendUnsent()
        guard !isClosed, unsent.isEmpty else { return }
        if owed > 0, shard.isSending { send(0, at: MonotonicClock.nanoseconds()) }
        guard !isClosed, unsent.isEmpty else { return }
        isWriterSuspended = true
        writer?.suspend()
    }

    // MARK: Ending

    /// Fails the connection when its oldest message has waited since before `deadline`.
    func failIfStalled(sentBefore deadline: UInt64) {
        guard isWaitingForEcho, sendTimes[oldestSlot] < deadline else { return }
        fail(.stalled, "no answer to message \(receivedNumber) in time")
    }

    private func fail(_ kind: ErrorCounts.Kind, _ detail: String) {
        guard !isClosed else { return }
        shard.errors.add(kind, detail)
        close()
        shard.connectionFailed()
    }

    /// Lets go of the descriptor; the shard hears `connectionClosed` when that is done.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        reader?.cancel()
        writer?.cancel()
        // The cancel handler of a suspended source does not run.
        if isWriterSuspended { writer?.resume() }
        isWriterSuspended = false
    }

    private func adopt(_ source: any DispatchSourceProtocol) {
        liveSources += 1
        source.setCancelHandler {
            self.liveSources -= 1
            // After connecting, the write source ends and the read source lives on.
            guard self.liveSources == 0 else { return }
            closeDescriptor(self.descriptor)
            self.shard.connectionClosed()
        }
    }
}
