internal import Synchronization

/// One client's conversation: finds the commands in what was received, executes them, and appends
/// the replies. Confined to the connection's queue. It counts as an open connection in INFO as long
/// as it lives.
///
/// When replies pile up beyond the high-water mark, it pauses: then the network layer stops
/// reading, sends what is in the reply buffer, and calls `resume` until that returns something
/// else.
package struct Session: ~Copyable {
    package enum Outcome: Sendable {
        /// All complete commands are executed: send the replies, receive more.
        case `continue`
        /// Commands are left, but too many replies wait: send them, and call `resume`.
        case pause
        /// Send the replies, and close the connection.
        case close
    }

    /// Kept of the memory for commands that wait.
    private static let retainedBytes = 64 << 10

    let store: Store
    let commands: CommandTable
    /// From 1.
    let number: Int
    private let counter: PaddedCounter
    private let highWaterBytes: Int
    private var parser: RESPParser
    /// Received bytes that wait until replies have been sent.
    private var backlog = ByteBuffer()
    /// The client is to be disconnected.
    var isClosing = false
    /// What CLIENT SETNAME has set.
    var name: [UInt8] = []

    package init(store: Store) {
        self.store = store
        commands = .shared
        (number, counter) = store.sessionCounts.begin()
        highWaterBytes = store.configuration.replyHighWaterBytes
        parser = RESPParser(limits: ParserLimits(store.configuration))
    }

    deinit { store.sessionCounts.end() }

    /// Executes the complete commands in what was received, and keeps what is left.
    /// - Parameter bytes: used during the call only.
    package mutating func receive(
        _ bytes: UnsafeRawBufferPointer, into reply: inout ReplyBuffer
    ) -> Outcome {
        if isClosing { return .close }
        guard backlog.isEmpty else {
            backlog.append(bytes)
            return resume(into: &reply)
        }
        var input = bytes
        let outcome = execute(&input, &reply)
        if outcome == .pause { backlog.append(input) }
        return outcome
    }

    /// Goes on after a pause.
    package mutating func resume(into reply: inout ReplyBuffer) -> Outcome {
        if isClosing { return .close }
        var input = backlog.bytes
        let outcome = execute(&input, &reply)
        if outcome == .pause {
            backlog.removeFirst(backlog.count - input.count)
        } else {
            backlog.removeAll(retainedBytes: Self.retainedBytes)
        }
        return outcome
    }

    private mutating func execute(
        _ input: inout UnsafeRawBufferPointer, _ reply: inout ReplyBuffer
    ) -> Outcome {
        var executed = 0
        defer { if executed > 0 { counter.value.wrappingAdd(executed, ordering: .relaxed) } }
        while true {
            if reply.count >= highWaterBytes {
                return input.isEmpty ? .continue : .pause
            }
            switch parser.next(&input) {
            case .command(let start):
                guard parser.arguments.count > 0 else { continue }
                executed += 1
                execute(Request(start: start, arguments: parser.arguments.all), &reply)
                if isClosing { return .close }
            case .incomplete:
                return .continue
            case .failed(let error):
                reply.appendError("ERR Protocol error: \(error.message)")
                isClosing = true
                return .close
            }
        }
    }
}
