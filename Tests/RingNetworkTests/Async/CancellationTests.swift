#if DEBUG
import RingDispatch
import RingNetwork
import Synchronization
import Testing

/// An exchange of tasks over every kind of scope is cancelled after each of its parts in turn.
@Suite("Tasks that are cancelled at any time", .watchdog)
struct CancellationTests {
    @Test("They end, and leave no descriptor and no source behind")
    func everywhere() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let exchange = CountedExchange()
            // The first runs make what stays.
            let parts = await exchange.run(cancelledAfter: .max)
            let again = await exchange.run(cancelledAfter: .max)
            demand(parts > 30 && again > 30, "an exchange has \(parts) and \(again) parts")
            demand("the first runs leave something behind") { exchange.leavesNothing() }
            letTasksHaveTheirDescriptors()
            let before = openDescriptorCount()
            for number in 1...max(parts, again) {
                _ = await exchange.run(cancelledAfter: number)
                demand("cancelled after part \(number): \(openDescriptorCount()) of \(before)") {
                    openDescriptorCount() == before && exchange.leavesNothing()
                }
            }
        }
    }
}

/// Runs the exchange on a queue, and counts the parts of its tasks.
private final class CountedExchange: Sendable {
    private let queue = DispatchQueue(label: "exchange")
    private let count = Atomic<Int>(0)
    private let limit = Atomic<Int>(.max)
    private let task = Watched<Task<Void, any Error>?>(nil)

    init() {
        QueueExecutor.observer = { [self] in
            let number = count.wrappingAdd(1, ordering: .relaxed).newValue
            if number == limit.load(ordering: .relaxed) { task.value?.cancel() }
        }
    }

    func run(cancelledAfter number: Int) async -> Int {
        count.store(0, ordering: .relaxed)
        limit.store(number, ordering: .relaxed)
        // The first part waits until the task is known.
        queue.suspend()
        let task = Task(executorPreference: QueueExecutor(queue)) { try await exchange() }
        self.task.update { $0 = task }
        if number == 1 { task.cancel() }
        queue.resume()
        _ = await task.result
        self.task.update { $0 = nil }
        return count.load(ordering: .relaxed)
    }

    func leavesNothing() -> Bool { DispatchRuntime.snapshot().sources == 0 }
}

private func exchange() async throws {
    for await _ in DispatchSource.timer(every: .milliseconds(1)) { break }
    try await exchangeDatagrams()
    let listener = try makeAsyncListener()
    let endpoint = listener.endpoint
    try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            await listener.run { client in
                for try await line in client.lines() {
                    try await client.send(Array("\(line)\n".utf8))
                }
            }
        }
        for _ in 0..<2 {
            group.addTask {
                try await Connector.shared.withConnection(to: endpoint) { server in
                    for length in [1, 60_000] {
                        let line = [UInt8](repeating: 0x61, count: length) + [0x0a]
                        try await server.send(line)
                        expectSame(try await server.receive(exactly: line.count), line)
                    }
                    server.closeOutput()
                    #expect(try await server.receive(within: .seconds(1000)) == nil)
                }
            }
        }
        for _ in 0..<2 { try await group.next() }
        listener.close()
        try await group.waitForAll()
    }
}

private func exchangeDatagrams() async throws {
    let socket = try DatagramSocket(.ipv4(.loopback, port: 0))
    try await socket.withDatagrams { datagrams in
        socket.send([1], to: .ipv4(.loopback, port: socket.port))
        for try await datagram in datagrams {
            #expect(datagram.bytes == [1])
            break
        }
    }
}
#endif
