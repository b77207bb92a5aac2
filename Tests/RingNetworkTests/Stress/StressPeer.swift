import Glibc
import LinuxPlatform
import RingDispatch
import Testing

@testable import RingNetwork

/// Demands messages of a connection, reads them slowly and in odd sizes, and compares every byte.
final class StressPeer {
    private enum End: CaseIterable {
        /// The peer ends its stream, and reads the rest.
        case halfClose
        /// The connection does, or closes.
        case commandCloseOutput
        case commandClose
        /// The peer leaves although bytes for it are on their way.
        case reset
        case leave
    }

    private let run: SendStressRun
    private let connection: Connection
    private let sender: StressSender
    private let stream: PeerStream
    private let closed = Outcome<CloseReason>()
    private var random: SeededGenerator
    /// How often a handler stays, among so many commands.
    private let commandsBetweenStays: Int
    private let end: End
    private let isUnix: Bool
    private var commands = 0
    private var messages = 0
    private var numbers: [StressMessage.Source: Int] = [:]
    /// Received bytes that are not a whole message.
    private var buffer: [UInt8] = []
    /// What was known whenever nothing had arrived for long.
    private var standStills: [String] = []

    init(number: Int, life: Int, of run: SendStressRun) {
        self.run = run
        let seed = UInt64(number &* 1_000_003 &+ life)
        random = SeededGenerator(seed: seed)
        end = End.allCases.randomElement(using: &random)!
        let (isShared, isShort) = (number % 4 == 3, number % 4 == 0)
        sender = StressSender(
            seed: seed &+ 1, hasOutsider: number % 3 == 1, isShort: isShort,
            neighbours: isShared ? run.neighbours : nil, of: run)
        commandsBetweenStays = isShared || isShort ? 200 : 20
        // Most connections are on one loop, from which the others steal.
        let placement = ConnectionPlacement(
            queue: isShared
                ? run.sharedQueue : DispatchQueue(label: "send-stress.\(number).\(life)"),
            loopNumber: number % 6 == 0 ? nil : 0)
        let isNarrow = number % 2 == 0 || number % 8 == 3
        let room: Int32? = isNarrow ? [4096, 20_000, 100_000][number / 2 % 3] : nil
        isUnix = number % 8 == 5
        let (near, wire) = isUnix ? Wire.pair() : Wire.tcpPair(room: room)
        var options = ConnectionOptions()
        // While a peer with little room does not read, TCP doubles the time to its next attempt.
        // That stays when the peer reads again: RFC 6298 (5.5).
        options.timeouts.send = .never
        options.timeouts.handshake = .seconds(Patience.seconds)
        connection = Connection(adopting: near, on: placement, options: options)
        stream = PeerStream(wire)
        if number % 4 == 2 { stream.secure(connection) }
        connection.setCloseHandler { [closed] in closed.set($1) }
        connection.setReceiveHandler { [sender] connection, bytes in
            bytes.withUnsafeBytes { sender.receive($0, connection) }
        }
    }

    // MARK: a life

    func live() {
        stream.stalled = { [unowned self] in standStills.append(situation) }
        connection.activate()
        if connection.queue === run.sharedQueue { run.neighbours.append((sender, connection)) }
        var isGood = stream.begin()
        #expect(isGood)
        for _ in 0..<Int.random(in: 1...60, using: &random) where isGood {
            isGood = isGood && command(last: nil) && readSome()
        }
        if isGood { finish() }
        run.coverage.update { $0.messages += messages }
        check()
    }

    /// Demands several messages at once.
    /// - Parameter last: a command after which the peer demands nothing more.
    private func command(last: StressCommand?, ends: Bool = false) -> Bool {
        let count = [1, 1, 2, 8].randomElement(using: &random)!
        var bytes = (0..<count).map { _ in StressCommand.short.rawValue }
        if oneIn(2) { bytes[0] = StressCommand.mix.rawValue }
        if oneIn(commandsBetweenStays) { bytes[0] = StressCommand.stay.rawValue }
        if oneIn(4) { bytes[count - 1] = StressCommand.outside.rawValue }
        if let last { bytes.append(last.rawValue) }
        commands += bytes.count
        let isSent = stream.send(bytes, ends: ends)
        if !isSent { Issue.record("the peer cannot send: \(diagnosis)") }
        return isSent
    }

    private func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private static let sizes = [1, 2, 3, 7, 61, 1021, 4093, 16_381, 65_521]

    /// Reads as long as the connection owes messages, or shorter.
    private func readSome() -> Bool {
        var left = Int.random(in: 0...12, using: &random)
        while left > 0, messages < commands {
            left -= 1
            if oneIn(20) { usleep(UInt32.random(in: 1...2000, using: &random)) }
            let received = receive()
            guard case .bytes(let bytes) = received else {
                Issue.record("the stream ended early: \(received), \(diagnosis)")
                return false
            }
            if !take(bytes) { return false }
        }
        return true
    }

    private func receive() -> PeerStream.Received {
        stream.receive(StressPeer.sizes.randomElement(using: &random)!)
    }

    private func finish() {
        switch end {
        case .halfClose: if command(last: nil, ends: true) { readAll() }
        case .commandCloseOutput: if command(last: .closeOutput) { readAll() }
        case .commandClose: if command(last: .close) { readAll() }
        case .reset:
            if command(last: .mix) { stream.wire.abort() }
        case .leave:
            if command(last: .mix) { stream.wire.close() }
        }
    }

    private func readAll() {
        while true {
            switch receive() {
            case .bytes(let bytes): if !take(bytes) { return }
            case .failed(let code):
                Issue.record("\(end): receive: error \(code), \(diagnosis)")
                return
            case .end:
                let rest = buffer.count
                #expect(rest == 0, "\(end): the last message is not complete")
                if end == .commandCloseOutput { stream.end() }
                return
            }
        }
    }

    /// Compares the whole messages among the bytes. Returns false if they are wrong.
    private func take(_ bytes: [UInt8]) -> Bool {
        buffer += bytes
        var start = 0
        let isRight = buffer.withUnsafeBytes { bytes in
            while let message = StressMessage(header: .init(rebasing: bytes[start...])) {
                let number = numbers[message.source, default: 0]
                guard message.number == number, message.count <= StressMessage.mostBytes else {
                    Issue.record("\(message) in place of \(number)")
                    return false
                }
                let end = start + StressMessage.headerBytes + message.count
                guard bytes.count >= end else { return true }
                let body = bytes[start + StressMessage.headerBytes..<end]
                guard message.matches(.init(rebasing: body)) else {
                    Issue.record("the bytes of \(message.source) \(number) are wrong")
                    return false
                }
                numbers[message.source] = number + 1
                messages += 1
                start = end
            }
            return true
        }
        buffer.removeFirst(start)
        return isRight
    }

    // MARK: afterwards

    /// What is known of a connection that does not go on.
    private var diagnosis: String { "\(situation); earlier stand-stills: \(standStills)" }

    private var situation: String {
        let state = Watched<String?>(nil)
        connection.queue.async { [connection] in
            let text =
                "\(connection.state), \(connection.unsentBytes) unsent, writable: "
                + "\(connection.isWritable), \(connection.statistics)"
            state.update { $0 = text }
        }
        let answers = state.wait(seconds: 5) { $0 != nil }
        let text = answers ? state.value! : "the queue does not run"
        return "\(connection.queue.label), \(isUnix ? "Unix" : "TCP"): \(text); "
            + "its \(kernelState(connection.descriptor)), "
            + "the peer's \(kernelState(stream.wire.descriptor)), "
            + "\(messages) of \(commands) messages"
    }

    /// The state that the kernel knows: of TCP, `tcpi_state`, `_ca_state`, `_retransmits`,
    /// `_probes`, `_backoff`; the bytes in the socket's buffers; and what poll(2) says.
    private func kernelState(_ descriptor: Int32) -> String {
        var information = [UInt8](repeating: 0, count: 5)
        var length = socklen_t(information.count)
        getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &information, &length)
        let (received, sent) = (unreadBytes(descriptor), Sockets.unconfirmedBytes(descriptor))
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN | POLLOUT | 0x2000), revents: 0)
        Glibc.poll(&entry, 1, 0)
        return "TCP \(information), received \(received), sent \(sent), poll \(entry.revents)"
    }

    private func check() {
        stream.wire.close()
        run.neighbours.update { $0.removeAll { $0.connection === connection } }
        let reason = closed.wait()
        if reason == nil { Issue.record("\(diagnosis)") }
        switch (end, reason) {
        case (.halfClose, .ended), (.commandCloseOutput, .ended), (.commandClose, .closed): break
        case (.reset, .failed), (.leave, .failed), (.reset, .tlsFailed), (.leave, .tlsFailed): break
        // The kernel has taken all bytes before the peer left. Unix sockets know no reset.
        case (.leave, .ended): break
        case (.reset, .ended) where isUnix: break
        default: Issue.record("\(end): \(String(describing: reason))")
        }
        expectEventually(sender.ledger) { $0.completions == 0 && $0.outside == 0 }
        let ledger = sender.ledger.value
        let (received, outside) = (numbers[.handler, default: 0], numbers[.outsider, default: 0])
        if end == .reset || end == .leave {
            #expect(received <= ledger.sent && outside <= ledger.taken)
        } else {
            #expect(received == ledger.sent && outside == ledger.taken, "\(end)")
        }
    }
}
