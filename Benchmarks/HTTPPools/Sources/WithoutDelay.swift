import FlyingFox
import FlyingSocks
import Foundation
import Synchronization

/// FlyingFox's own pool with TCP_NODELAY, as `RingSocketPool` sets it. FlyingFox sends a response
/// in two pieces, and the second one else waits for the client's delayed acknowledgement.
final class WithoutDelay: AsyncSocketPool {
    private let pool: any AsyncSocketPool = HTTPServer.defaultPool()
    private let isSet = Atomic(false)

    func prepare() async throws { try await pool.prepare() }

    func run() async throws { try await pool.run() }

    func suspendSocket(_ socket: Socket, untilReadyFor events: Socket.Events) async throws {
        // The first one is the listener; accepted sockets inherit it.
        if !isSet.exchange(true, ordering: .relaxed) {
            var one: Int32 = 1
            setsockopt(
                socket.file.rawValue, Int32(IPPROTO_TCP), TCP_NODELAY, &one,
                socklen_t(MemoryLayout.size(ofValue: one)))
        }
        try await pool.suspendSocket(socket, untilReadyFor: events)
    }
}
