import ArgumentParser
import Synchronization

/// What happens to a client that reads more slowly than others write.
enum SlowReaderPolicy: String, ExpressibleByArgument, CaseIterable {
    /// It misses lines, and receives their number.
    case dropLines = "drop-lines"
    /// It is disconnected.
    case dropClient = "drop-client"
}

/// The lines that wait for a client: never more than the limit.
final class Outbox: Sendable {
    let lines: AsyncStream<String>
    let policy: SlowReaderPolicy
    private let sender: AsyncStream<String>.Continuation
    /// Lines missed since the last one that was accepted. Only adds and exchanges: any order is
    /// right.
    private let missed = Atomic<Int>(0)

    init(limit: Int, _ policy: SlowReaderPolicy) {
        self.policy = policy
        (lines, sender) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(limit))
    }

    /// From any task.
    /// - Returns: false if the client is to be disconnected.
    func post(_ line: String) -> Bool {
        guard case .dropped = sender.yield(line) else { return true }
        missed.add(1, ordering: .relaxed)
        return policy == .dropLines
    }

    /// The number of lines that were missed since the last call.
    func takeMissed() -> Int { missed.exchange(0, ordering: .relaxed) }

    /// The lines end after those that wait.
    func finish() { sender.finish() }
}
