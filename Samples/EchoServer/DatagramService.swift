import RingNetwork

/// Serves UDP clients. Confined to the socket's queue.
struct DatagramService: Sendable {
    let mode: Mode
    let tally: Tally
    /// Keeps two such servers from sending each other echoes for ever: what comes from the port of
    /// a service is not answered.
    private let rule = DatagramAnswerRule()
    /// RFC 864: an answer has a length by chance, and at most 512 characters.
    private static let characterLimit = 512

    func serve(on socket: DatagramSocket) {
        socket.setReceiveHandler { socket, datagrams in
            datagrams.forEach { datagram, bytes in
                tally.count(bytes: bytes.byteCount)
                answer(datagram, bytes, on: socket)
            }
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
