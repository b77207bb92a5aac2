import RingDispatch

/// The open connections and the totals. Everything but `run` happens on `queue`, which is the
/// listener's queue too.
final class Server: @unchecked Sendable {
    /// How long a stopping server waits for its connections' sources to let go.
    static let closingTimeoutSeconds = 5

    private let queue = DispatchQueue(label: "echo-server.server")
    /// Open connections, by number; a connection is entered in `open` as long as it is here.
    private var connections: [Int: Connection] = [:]
    private let open = DispatchGroup()
    private var totals = Statistics()
    private var isStopping = false

    /// Serves on `socket`, which it owns from here on, until `shutdown` is signalled; returns when
    /// every connection is closed. Blocks the caller, which must not be on a queue.
    ///
    /// - Parameter willStop: called between the signal and the closing of the connections.
    func run(
        listeningOn socket: Int32, until shutdown: DispatchSemaphore, willStop: () -> Void = {}
    ) throws -> (statistics: Statistics, openConnections: Int) {
        let listener = try Listener(socket: socket, queue: queue) { [self] in adopt($0) }
        listener.start()
        shutdown.wait()
        willStop()

        open.enter()  // for the listener's socket
        queue.sync {
            isStopping = true
            listener.stop { [self] in open.leave() }
            for connection in connections.values { connection.stop() }
        }
        _ = open.wait(timeout: .now() + .seconds(Self.closingTimeoutSeconds))
        return queue.sync {
            totals.refused += listener.refused
            return (totals, connections.count)
        }
    }

    /// Takes over a descriptor that the listener accepted.
    private func adopt(_ descriptor: Int32) {
        guard !isStopping else { return closeDescriptor(descriptor) }
        totals.connections += 1
        let number = totals.connections
        open.enter()
        let connection = Connection(descriptor: descriptor, number: number) { [self] statistics in
            queue.async { self.remove(number, statistics) }
        }
        connections[number] = connection
        connection.start()
    }

    private func remove(_ number: Int, _ statistics: Statistics) {
        connections[number] = nil
        totals.add(statistics)
        open.leave()
    }
}
