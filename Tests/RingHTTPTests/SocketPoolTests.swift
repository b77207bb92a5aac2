#if FlyingFox
import FlyingSocks
import Foundation
import Glibc
import RingHTTP
import TestSupport
import Testing

@Suite("FlyingFox's sockets on the event loops", .watchdog)
struct SocketPoolTests {
    let pool = RingSocketPool()

    @Test("A wait to read ends when bytes arrive, again and again")
    func reading() async throws {
        let (near, far) = try makePair(on: pool)
        for byte in 0..<200 as Range<UInt8> {
            let waiting = await beginWait(for: .read, of: near, on: pool)
            try await far.write(Data([byte]))
            #expect(await waiting.value == nil)
            #expect(try await near.read() == byte)
        }
        try far.close()
        await #expect(throws: SocketError.disconnected) { try await near.read() }
        try near.close()
    }

    @Test("A wait to write ends when the peer has read")
    func writing() async throws {
        let (near, far) = try makePair(on: pool)
        for _ in 0..<20 {
            fill(near)
            let waiting = await beginWait(for: .write, of: near, on: pool)
            drain(far)
            #expect(await waiting.value == nil)
        }
        try near.close()
        try far.close()
    }

    @Test("A wait for a connection ends when a client connects")
    func connection() async throws {
        let (listener, port) = try makeListener(on: pool)
        for _ in 0..<20 {
            let waiting = await beginWait(for: .connection, of: listener, on: pool)
            let client = try await TestClient(port: port)
            #expect(await waiting.value == nil)
            let server = try await listener.accept()
            try await server.write(Data("!".utf8))
            #expect(try await client.socket.read() == UInt8(ascii: "!"))
            try server.close()
            try client.socket.close()
        }
        try listener.close()
    }

    @Test("A client that is refused gets the system's error")
    func refusal() async throws {
        let (listener, port) = try makeListener(on: pool)
        try listener.close()
        await #expect { try await TestClient(port: port) } throws: { error in
            "\(error)".contains("refused")
        }
    }

    @Test("Reader and writer wait for one socket at a time")
    func bothDirections() async throws {
        let (near, far) = try makePair(on: pool)
        fill(near)
        let reading = await beginWait(for: .read, of: near, on: pool)
        let writing = await beginWait(for: .write, of: near, on: pool)
        drain(far)
        #expect(await writing.value == nil)
        try await far.write(Data([1]))
        #expect(await reading.value == nil)
        try near.close()
        try far.close()
    }

    @Test(
        "Cancelling the task ends its wait, whenever it comes",
        arguments: [Socket.Event.read, .write])
    func cancellation(event: Socket.Event) async throws {
        let (near, far) = try makePair(on: pool)
        fill(near)
        for number in 0..<500 {
            let waiting =
                number.isMultiple(of: 2)
                ? await beginWait(for: [event], of: near, on: pool)
                : Task { () -> (any Error)? in
                    do {
                        try await pool.suspendSocket(near.socket, untilReadyFor: [event])
                        return nil
                    } catch {
                        return error
                    }
                }
            waiting.cancel()
            #expect(await waiting.value is CancellationError)
        }
        // The socket works as before.
        let waiting = await beginWait(for: [event], of: near, on: pool)
        drain(far)
        try await far.write(Data([1]))
        #expect(await waiting.value == nil)
        try near.close()
        try far.close()
    }

    @Test("When the pool's run is cancelled, all waits end, until it is prepared again")
    func endOfRun() async throws {
        let (near, far) = try makePair(on: pool)
        try await pool.prepare()
        let run = Task { try await pool.run() }
        let waiting = await beginWait(for: .read, of: near, on: pool)
        run.cancel()
        #expect(await waiting.value is CancellationError)
        await #expect(throws: CancellationError.self) { try await run.value }
        await #expect(throws: CancellationError.self) { try await near.read() }
        try await pool.prepare()
        try await far.write(Data([1]))
        #expect(try await near.read() == 1)
        try near.close()
        try far.close()
    }

    @Test("A socket whose number was used before gets its own events")
    func reuse() async throws {
        for byte in 0..<250 as Range<UInt8> {
            // Closed without a word while the loop's set still has their entries.
            let (near, far) = try makePair(on: pool)
            let waiting = await beginWait(for: .read, of: near, on: pool)
            try await far.write(Data([byte]))
            #expect(await waiting.value == nil)
            try near.close()
            try far.close()
        }
    }

    @Test("A wait for a closed socket is not ended by another socket with its number")
    func closedWhileWaiting() async throws {
        let (near, far) = try makePair(on: pool)
        let waiting = await beginWait(for: .read, of: near, on: pool)
        let (next, nextFar) = try makePair(on: pool)
        // Closes the first one, and gives its number to the other.
        #expect(dup2(next.socket.file.rawValue, near.socket.file.rawValue) >= 0)
        try next.close()
        let nextWaiting = await beginWait(for: .read, of: near, on: pool)
        try await nextFar.write(Data([1]))
        #expect(await nextWaiting.value == nil)
        #expect(await waiting.value as? SocketError == .disconnected)
        for socket in [far, near, nextFar] { try socket.close() }
    }

    @Test("Waits of closed sockets can be ended")
    func closedSockets() async throws {
        let (listener, _) = try makeListener(on: pool)
        let (near, far) = try makePair(on: pool)
        let accepting = await beginWait(for: .connection, of: listener, on: pool)
        let reading = await beginWait(for: .read, of: near, on: pool)
        try listener.close()
        pool.endWaitsOfClosedSockets()
        #expect(await accepting.value as? SocketError == .disconnected)
        try await far.write(Data([1]))
        #expect(await reading.value == nil)
        try near.close()
        try far.close()
    }
}
#endif
