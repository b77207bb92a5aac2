internal import LinuxPlatform
internal import RingDispatch

/// The datagrams that a socket receives. Ends when the socket is closed, or the task is cancelled;
/// throws ``SocketError`` if its descriptor becomes unusable. One task at a time may wait.
///
/// Memory holds at most one batch (``DatagramOptions/receiveBatch``). While the task is busy with
/// it, the kernel buffers the next ones as far as it has room, and drops the rest, which
/// ``DatagramCounters`` counts.
public struct DatagramSequence: AsyncSequence, Sendable {
    public typealias Element = Datagram
    let inflow: DatagramInflow

    public func makeAsyncIterator() -> Iterator { Iterator(inflow: inflow) }

    /// Takes the datagrams. All iterators share the socket: each datagram goes to one.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        let inflow: DatagramInflow

        public func next(isolation: isolated (any Actor)?) async throws -> Datagram? {
            try await inflow.next()
        }
    }
}

extension DatagramSocket {
    /// Activates the socket, runs `body` with the datagrams it receives, and closes it. Set no
    /// receive handler and no close handler.
    ///
    /// `body` runs on the socket's queue unless it belongs to an actor. Send and answer with the
    /// socket's methods. Cancelling the task ends the sequence, and does not throw.
    /// - Throws: what `body` throws.
    public func withDatagrams<Result>(
        isolation: isolated (any Actor)? = #isolation,
        _ body: (DatagramSequence) async throws -> Result
    ) async throws -> Result {
        if confined.phase == .active {
            fatalMisuse("withDatagrams of datagram socket '\(queue.label)' after activate")
        }
        let inflow = DatagramInflow(self)
        inflow.activate()
        do {
            let result = try await withTaskExecutorPreference(
                inflow.executor, isolation: isolation
            ) {
                try await body(DatagramSequence(inflow: inflow))
            }
            await self.result { $0.close() }
            return result
        } catch {
            await self.result { $0.close() }
            throw error
        }
    }
}
