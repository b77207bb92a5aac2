import Glibc
import RingDispatch
import RingNetwork
import Synchronization

/// Begins the next exchange when one has ended. A failure ends the process.
final class Client: Sendable {
    let served = Atomic<Int>(0)
    private let endpoint: Endpoint
    private let queue = DispatchQueue(label: "connecting")

    init(of endpoint: Endpoint) {
        self.endpoint = endpoint
    }

    func begin(_ number: Int) {
        Connector.shared.connect(to: endpoint, queue: queue) { [self] result in
            switch result {
            case .success(let connection): exchange(number, on: connection)
            case .failure(let error): fail("\(error)")
            }
        }
    }

    private func exchange(_ number: Int, on connection: Connection) {
        let message = (0..<64).map { UInt8(truncatingIfNeeded: number &* 31 &+ $0) }
        connection.setReceiveHandler { [self] connection, bytes in
            let isRight = bytes.withUnsafeBytes { $0.elementsEqual(message) }
            guard isRight else { fail("not the echo in one piece") }
            served.add(1, ordering: .relaxed)
            connection.close()
        }
        connection.setCloseHandler { [self] _, reason in
            guard reason == .closed else { fail("a connection ended: \(reason)") }
            begin(number &+ 1)
        }
        connection.activate()
        connection.send(message)
    }
}

private func fail(_ reason: String) -> Never {
    _ = Array("connecting-ring: \(reason)\n".utf8).withUnsafeBytes {
        write(STDERR_FILENO, $0.baseAddress, $0.count)
    }
    exit(1)
}
