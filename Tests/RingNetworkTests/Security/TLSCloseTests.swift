#if TLS
import Glibc
import RingDispatch
@testable import RingNetwork
import RingTLS
import Testing

/// The server sends session tickets after the client's handshake. If they were left unread, the
/// kernel would reset the connection.
@Suite("Closing connections over TLS", .watchdog)
struct TLSCloseTests {
    /// The kernel holds what the client sends.
    private func makePair() throws -> SecuredPair {
        let pair = try SecuredPair(overTCP: true)
        setSocketOption(pair.client.descriptor, SOL_SOCKET, SO_SNDBUF, 200_000)
        return pair
    }

    private let bytes = patterned(180_000)

    @Test("A client that only sends loses nothing if tickets have arrived", arguments: [0, 1])
    func tickets(pauses: Int) throws {
        let pair = try makePair()
        let (client, server) = (pair.client, pair.server)
        // Without a handler, and with one that is paused, nothing is received.
        if pauses > 0 { client.setReceiveHandler { _, _ in } }
        for _ in 0..<pauses { client.pauseReceiving() }
        pair.activate()
        var waiting: Int32 = 0
        #expect(poll { ioctl(client.descriptor, UInt(FIONREAD), &waiting) == 0 && waiting > 0 })
        client.send(bytes, completion: nil)
        #expect(poll { client.queue.sync { client.unsentBytes } == 0 })
        client.close()
        client.queue.sync {}
        expectSame(Inbox(server).receiveAll(), bytes)
        #expect(pair.clientClosed.wait() == .closed)
        server.close()
    }

    @Test("A client that only sends loses nothing if tickets arrive after its last byte")
    func lateTickets() throws {
        let pair = try makePair()
        let (client, server) = (pair.client, pair.server)
        let received = Inbox(server)
        let (clientMayGoOn, serverMayGoOn) = (Gate(), Gate())
        client.send(bytes, completion: nil)
        client.activate()
        client.queue.async { clientMayGoOn.pass() }
        server.activate()
        #expect(poll { server.queue.sync { server.statistics.bytesSent } > 0 })
        server.queue.async { serverMayGoOn.pass() }
        client.close()
        clientMayGoOn.open()
        #expect(poll { client.queue.sync { client.state == .closed || client.unsentBytes == 0 } })
        serverMayGoOn.open()
        expectSame(received.receiveAll(), bytes)
        server.close()
    }
}
#endif
