import Glibc

/// A faulty server on a thread of its own, for ringload to detect. It serves one client after the
/// other.
final class FaultyServer {
    enum Fault: CaseIterable {
        case wrongBytes
        /// Closes after a receive.
        case closes
        case neverAnswers
    }

    let port: UInt16
    private let listener: LoopbackSocket
    private let isOver = Watched(false)

    init(_ fault: Fault) throws {
        listener = try LoopbackSocket.listening()
        port = listener.port
        let (listener, isOver) = (listener, isOver)
        _ = UserThread {
            let deadline = Deadline()
            while listener.poll(Int32(POLLIN), until: deadline) & Int32(POLLHUP) == 0 {
                let client = accept(listener.descriptor, nil, nil)
                guard client >= 0 else { break }
                Self.serve(LoopbackSocket(adopting: client), fault, until: deadline)
            }
            isOver.update { $0 = true }
        }
    }

    /// Ends the thread: shutting the socket down wakes it.
    func stop() throws {
        shutdown(listener.descriptor, Int32(SHUT_RDWR))
        guard isOver.wait(until: Deadline(), for: { $0 ? true : nil }) != nil else {
            throw Trouble("the faulty server's thread does not end")
        }
    }

    private static func serve(_ client: LoopbackSocket, _ fault: Fault, until deadline: Deadline) {
        defer { client.close() }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while client.poll(Int32(POLLIN), until: deadline) != 0 {
            let count = recv(client.descriptor, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            switch fault {
            case .closes: return
            case .neverAnswers: continue
            case .wrongBytes: buffer[count / 2] ^= 1
            }
            let flags = Int32(MSG_NOSIGNAL)
            guard Glibc.send(client.descriptor, buffer, count, flags) == count else { return }
        }
    }
}
