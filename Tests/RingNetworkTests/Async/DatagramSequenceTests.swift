import Glibc
import RingDispatch
import Testing

@testable import RingNetwork

@Suite("Datagrams for tasks", .watchdog)
struct DatagramSequenceTests {
    @Test("A task answers each datagram, in order, and leaving closes the socket")
    func echo() async throws {
        let socket = try DatagramSocket(.ipv4(.loopback, port: 0))
        let peer = PlainDatagrams()
        let port = try #require(socket.localEndpoint?.port)
        for number in 0..<100 { #expect(peer.send([UInt8(number)], to: port)) }
        try await socket.withDatagrams { datagrams in
            var number: UInt8 = 0
            for try await datagram in datagrams {
                #expect(datagram.bytes == [number])
                #expect(datagram.sender == peer.endpoint)
                #expect(!datagram.isTruncated)
                socket.reply(datagram.bytes, along: datagram.returnPath)
                number += 1
                if number == 100 { break }
            }
        }
        for number in 0..<100 { #expect(peer.receive() == [UInt8(number)]) }
        #expect(socket.withDescriptor { _ in 0 } == EBADF, "the descriptor is open")
    }

    /// A socket to which datagrams with one byte each, their number, were sent.
    private func receivingSocket(batch: Int, datagrams: Int) throws -> DatagramSocket {
        var options = DatagramOptions()
        options.receiveBatch = batch
        options.combinesReceived = false
        let socket = try DatagramSocket(.ipv4(.loopback, port: 0), options: options)
        let peer = PlainDatagrams()
        let port = try #require(socket.localEndpoint?.port)
        for number in 0..<datagrams { #expect(peer.send([UInt8(number)], to: port)) }
        return socket
    }

    @Test("A task that is busy holds at most one batch")
    func bound() async throws {
        let socket = try receivingSocket(batch: 4, datagrams: 50)
        try await socket.withDatagrams { datagrams in
            for try await datagram in datagrams {
                #expect(socket.counters.datagramsReceived <= UInt64(datagram.bytes[0]) + 4)
                if datagram.bytes == [49] { break }
            }
        }
    }

    @Test("A cancelled task leaves the datagrams that have arrived")
    func cancelledBehind() async throws {
        let socket = try receivingSocket(batch: 1, datagrams: 2)
        try await socket.withDatagrams { datagrams in
            while socket.counters.datagramsReceived < 1 { await Task.yield() }
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await datagrams.first { _ in true }
            }
            #expect(try await task.value == nil)
            // The second one is not received before the first is taken.
            for _ in 0..<1000 { await Task.yield() }
            for number in 0..<2 as Range<UInt8> {
                let datagram = try await datagrams.first { _ in true }
                #expect(datagram?.bytes == [number])
            }
        }
    }

    /// Runs the operation on the queue after the handler of the first batch, before the task that
    /// this has resumed.
    private func onceReceived(
        _ socket: DatagramSocket, on executor: QueueExecutor,
        _ operation: @escaping @Sendable () async -> Void
    ) {
        _ = Task(executorPreference: executor) {
            if socket.counters.datagramsReceived > 0 { return await operation() }
            onceReceived(socket, on: executor, operation)
        }
    }

    @Test("A task that was cancelled while it waited leaves the datagrams to the next one")
    func cancelledWhileWaiting() async throws {
        let socket = try receivingSocket(batch: 2, datagrams: 0)
        let peer = PlainDatagrams()
        let port = try #require(socket.localEndpoint?.port)
        try await socket.withDatagrams { datagrams in
            let executor = datagrams.inflow.executor
            let task = Task(executorPreference: executor) {
                for number in 0..<4 as Range<UInt8> { #expect(peer.send([number], to: port)) }
                return try await datagrams.first { _ in true }
            }
            await withCheckedContinuation { done in
                onceReceived(socket, on: executor) {
                    task.cancel()
                    for number in 0..<4 as Range<UInt8> {
                        let datagram = try? await datagrams.first { _ in true }
                        #expect(datagram?.bytes == [number])
                        if number == 0 { _ = await task.result }
                    }
                    done.resume()
                }
            }
            let cancelled = try await task.value
            #expect(cancelled == nil)
        }
    }

    @Test("A close ends the sequence, and so does a cancelled task", arguments: 0..<10)
    func ends(round: Int) async throws {
        let socket = try DatagramSocket(.ipv4(.loopback, port: 0))
        let isActive = Gate()
        let task = ownTask {
            try await socket.withDatagrams { datagrams in
                isActive.open()
                for try await _ in datagrams { Issue.record("a datagram") }
            }
        }
        #expect(isActive.waitUntilOpen(seconds: Patience.seconds))
        for _ in 0..<round * 10 { sched_yield() }
        if round % 2 == 0 { socket.close() } else { task.cancel() }
        try await task.value
        // Nothing follows.
        try await socket.withDatagrams { datagrams in
            for try await _ in datagrams { Issue.record("a datagram") }
        }
    }
}
