import ArgumentParser
import SampleSupport

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
    /// Lines missed since the last one that was accepted.
    private let missed = Locked(0)

    init(limit: Int, _ policy: SlowReaderPolicy) {
        self.policy = policy
        (lines, sender) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(limit))
    }

    /// From any task.
    /// - Returns: false if the client is to be disconnected.
    func post(_ line: String) -> Bool {
        missed.withLock { missed in
            let note = missed > 0 ? "* you have missed \(missed) lines\n" : ""
            guard case .dropped = sender.yield(note + line) else {
                missed = 0
                return true
            }
            missed += 1
            return policy == .dropLines
        }
    }

    /// The lines end after those that wait.
    func finish() { sender.finish() }
}
