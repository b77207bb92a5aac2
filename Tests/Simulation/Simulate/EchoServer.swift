internal import CSimulation
internal import Glibc
internal import RingDispatch
internal import RingNetwork

/// Sends back what it receives, and disturbs itself: it blocks, pauses and ends connections.
final class EchoServer: @unchecked Sendable {
    /// What the server knows of a connection, by the port of its peer.
    final class Record: @unchecked Sendable {
        // Safety: the simulation runs one thread at a time.
        var closes = 0
        var reason: CloseReason?
        /// The server itself ended the connection.
        var isEnded = false
    }

    private let listener: Listener
    private(set) var records: [UInt16: Record] = [:]
    private var open = 0
    private var isClosed = false
    var port: UInt16 { listener.endpoint.port! }

    init() {
        do {
            listener = try Listener(Endpoint("127.0.0.1:0"))
        } catch {
            fail("no listener: \(error)")
        }
        listener.setConnectionHandler { [unowned self] in accept($0) }
        listener.activate()
        // It listens before faults begin.
        listener.queue.sync {}
    }

    private func accept(_ connection: Connection) {
        guard let port = connection.remoteEndpoint?.port else {
            // The peer has reset it already.
            return connection.abort()
        }
        let record = Record()
        require(records[port] == nil, "a second connection of port \(port)")
        records[port] = record
        open += 1
        connection.setReceiveHandler { [unowned self] connection, bytes in
            require(record.closes == 0, "bytes after the end")
            bytes.withUnsafeBytes { echo($0, connection) }
            disturb(connection, record)
        }
        connection.setCloseHandler { [unowned self] _, reason in
            record.closes += 1
            require(record.closes == 1, "two ends")
            record.reason = reason
            open -= 1
        }
        let isPaused = oneIn(8)
        if isPaused { connection.pauseReceiving() }
        connection.activate()
        if isPaused { resumeLater(connection) }
    }

    /// Sends the bytes in up to three pieces: at once, after a while, and from another thread.
    private func echo(_ bytes: UnsafeRawBufferPointer, _ connection: Connection) {
        var rest = bytes[...]
        for _ in 0..<(oneIn(2) ? 0 : random(1...2)) {
            let count = random(0...min(rest.count, oneIn(2) ? 100 : 6_000))
            connection.send(UnsafeRawBufferPointer(rebasing: rest.prefix(count)))
            rest = rest.dropFirst(count)
            // The monitor may have the loop taken over right then.
            if oneIn(4) {
                _ = simulation_sleep_until_next_deadline(0)
                compute(0...60)
            }
        }
        if !oneIn(12) { return connection.send(UnsafeRawBufferPointer(rebasing: rest)) }
        connection.pauseReceiving()
        let copy = Array(rest)
        DispatchQueue.global().async {
            connection.send(copy)
            connection.resumeReceiving()
        }
    }

    private func disturb(_ connection: Connection, _ record: Record) {
        switch random(1...100) {
        case 1...5: pause(1...4_000)
        case 6...15:
            connection.pauseReceiving()
            resumeLater(connection)
        case 16:
            record.isEnded = true
            connection.abort()
        case 17:
            record.isEnded = true
            connection.close()
        default: break
        }
    }

    private func resumeLater(_ connection: Connection) {
        connection.queue.asyncAfter(deadline: .now() + .microseconds(random(0...3_000))) {
            connection.resumeReceiving()
        }
    }

    func close() {
        wait(until: { open == 0 }, "the end of \(open) connections")
        listener.close { [unowned self] _ in isClosed = true }
        wait(until: { isClosed }, "the listener's end")
        for (port, record) in records {
            require(record.closes == 1, "\(record.closes) ends of port \(port)")
        }
    }
}
