import Glibc
import RingDispatch
import RingNetwork

/// What a peer demands of a connection with one byte.
enum StressCommand: UInt8 {
    case short
    /// Several messages of all kinds.
    case mix
    /// A handler that stays between its sends.
    case stay
    /// Another thread is to send, too.
    case outside
    case closeOutput
    case close
}

/// What was sent on a connection.
struct SendLedger {
    /// Messages of handlers.
    var sent = 0
    /// Messages of the outsider: those that the kernel has, those that it refused, and others.
    var taken = 0
    var refused = 0
    var outside = 0
    /// Completions of handlers' sends that are still to come.
    var completions = 0
}

/// Sends messages on a connection. On its queue.
final class StressSender: @unchecked Sendable {
    // Safety: the state belongs to the connection's queue, or is locked.
    let ledger = Watched(SendLedger())
    private let run: SendStressRun
    private let hasOutsider: Bool
    /// All sends are short enough for batches.
    private let isShort: Bool
    /// Connections of the same queue; they may be closed.
    private let neighbours: Watched<[Neighbour]>?
    private var random: SeededGenerator
    private var probe: SendProbe
    private var isOver = false
    /// Used by the outsider.
    var outsideNumber = 0

    typealias Neighbour = (sender: StressSender, connection: Connection)

    init(
        seed: UInt64, hasOutsider: Bool, isShort: Bool, neighbours: Watched<[Neighbour]>?,
        of run: SendStressRun
    ) {
        self.run = run
        self.neighbours = neighbours
        self.isShort = isShort
        self.hasOutsider = hasOutsider
        random = SeededGenerator(seed: seed)
        probe = SendProbe(run.coverage, mayCountSteals: !hasOutsider && neighbours == nil)
    }

    func receive(_ commands: UnsafeRawBufferPointer, _ connection: Connection) {
        probe.beginHandler()
        for byte in commands where !isOver { step(StressCommand(rawValue: byte)!, connection) }
    }

    private func step(_ command: StressCommand, _ connection: Connection) {
        sendShort(connection)
        switch command {
        case .short: break
        case .mix:
            let most = isShort ? 20 : 5
            for _ in 0..<Int.random(in: 1...most, using: &random) {
                sendAny(connection)
                sendToNeighbour()
            }
        case .stay:
            probe.stay(.random(using: &random))
            sendShort(connection)
            sendAny(connection)
        case .outside:
            guard hasOutsider else { return }
            ledger.update { $0.outside += 1 }
            run.outsider.request(self, connection)
        case .closeOutput:
            isOver = true
            connection.closeOutput()
        case .close:
            isOver = true
            connection.close()
        }
    }

    /// A send of another connection ends the batch in the middle of the handler.
    private func sendToNeighbour() {
        let neighbour = neighbours?.update { $0.randomElement(using: &random) }
        guard let (sender, connection) = neighbour, sender !== self, !sender.isOver,
            connection.state == .active
        else { return }
        sender.probe.beginHandler()
        sender.sendShort(connection)
    }

    private func next(_ counts: ClosedRange<Int>) -> StressMessage {
        let number = ledger.update { ledger in
            ledger.sent += 1
            return ledger.sent - 1
        }
        return StressMessage(.handler, number, count: Int.random(in: counts, using: &random))
    }

    private func sendShort(_ connection: Connection) {
        let bytes = next(1...200).bytes
        probe.send(bytes.count, connection) {
            bytes.withUnsafeBytes { connection.send($0) }
        }
    }

    private func sendAny(_ connection: Connection) {
        let kind = isShort ? 0 : Int.random(in: 0...6, using: &random)
        let message =
            next([1...4000, 4001...20_000, 1...StressMessage.mostBytes][kind < 4 ? 0 : kind % 3])
        switch kind {
        case 0, 4:
            probe.send(message.bytes.count, connection) { connection.send(message.bytes) }
        case 1, 5:
            let completed = completion()
            probe.send(message.bytes.count, connection) {
                connection.send(message.bytes, completion: completed)
            }
        case 2:
            probe.send(message.header.count, connection) { connection.send(message.header) }
            probe.send(message.count, connection) { connection.send(message.body) }
        case 3:
            var data = copied(message.header)
            data.append(copied(message.body))
            let completed = completion()
            probe.send(data.count, connection) { connection.send(data, completion: completed) }
        default:
            let completed = completion()
            probe.send(message.header.count, connection) { connection.send(message.header) }
            probe.send(message.count, connection) { [file = run.file] in
                connection.send(
                    fileDescriptor: file, offset: message.offset, count: message.count,
                    completion: completed)
            }
        }
    }

    private func completion() -> @Sendable (SocketError?) -> Void {
        ledger.update { $0.completions += 1 }
        return { [ledger] _ in ledger.update { $0.completions -= 1 } }
    }
}

/// A thread that sends on connections whose queue it is not on.
final class Outsider: Sendable {
    private let requests = Watched<[(sender: StressSender, connection: Connection)?]>([])
    private let thread = Watched<UserThread?>(nil)

    init() {
        let body = { @Sendable [requests] in
            while let (sender, connection) = Outsider.next(of: requests) {
                Outsider.send(sender, connection)
            }
        }
        thread.update { $0 = UserThread(body) }
    }

    private static func next(
        of requests: Watched<[(sender: StressSender, connection: Connection)?]>
    ) -> (sender: StressSender, connection: Connection)? {
        while !requests.wait(seconds: Patience.seconds, until: { !$0.isEmpty }) {}
        return requests.update { $0.removeFirst() }
    }

    private static func send(_ sender: StressSender, _ connection: Connection) {
        let counts = [10, 300, 5000, 40_000]
        let count = counts[sender.outsideNumber % counts.count]
        let message = StressMessage(.outsider, sender.outsideNumber, count: count)
        sender.outsideNumber += 1
        connection.send(message.bytes) { [ledger = sender.ledger] error in
            ledger.update { ledger in
                ledger.outside -= 1
                if error == nil { ledger.taken += 1 } else { ledger.refused += 1 }
            }
        }
    }

    func request(_ sender: StressSender, _ connection: Connection) {
        requests.append((sender, connection))
    }

    func stop() {
        requests.append(nil)
        _ = thread.value?.join()
    }
}
