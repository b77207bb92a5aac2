import RingNetwork

/// Answers UDP datagrams. Runs on the socket's queue.
struct DatagramService: Sendable {
    let mode: Mode
    /// Prevents endless loops between two such servers: a datagram from the port of a well-known
    /// service gets no answer.
    private let rule = DatagramAnswerRule()
    /// RFC 864: a random answer of 0 to 512 characters.
    private static let characterLimit = 512

    func serve(on socket: DatagramSocket) {
        socket.setReceiveHandler { socket, datagrams in
            datagrams.forEach { datagram, bytes in answer(datagram, bytes, on: socket) }
        }
        socket.activate()
    }

    private func answer(
        _ datagram: borrowing ReceivedDatagram, _ bytes: RawSpan, on socket: DatagramSocket
    ) {
        guard mode != .discard, rule.allows(datagram, on: socket) else { return }
        if mode == .echo { return socket.reply(bytes, to: datagram) }
        let count = Int.random(in: 0...Self.characterLimit)
        let text = CharacterGenerator.prefix(count)
        socket.reply(text.span.bytes, to: datagram)
    }
}
