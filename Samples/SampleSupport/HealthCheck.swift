internal import ArgumentParser
internal import Glibc
internal import RingDispatch
package import RingNetwork

/// `--check`: instead of serving, the program checks a server that runs with the same options.
/// Serves as the health check in container images.
package struct HealthCheck: ParsableArguments {
    @Flag(
        name: .customLong("check"),
        help: "Check that a server with these options answers, then exit.")
    package var isWanted = false

    package init() {}

    private static let timeoutSeconds = 3

    /// Connects, sends the question, and blocks until the answer is complete, so it must not run on
    /// a queue. Call it before the first use of the runtime.
    /// - Parameters:
    ///   - question: empty for a server that speaks first, or never.
    ///   - answer: the expected first bytes of the answer.
    /// - Throws: `Failure` when the server does not answer so in time.
    package func ask(
        _ question: [UInt8], expecting answer: [UInt8], host: String, port: UInt16,
        options: ConnectorOptions = ConnectorOptions()
    ) throws {
        // One connection needs one loop, and the log would disturb the output.
        setenv("RINGDISPATCH_LOOPS", "1", 1)
        setenv("RINGDISPATCH_LOG", "off", 1)
        try ListeningAddress.first(host: host, port: port) { endpoint in
            let conversation = Conversation(question, answer)
            conversation.begin(Connector(options: options), endpoint)
            let deadline = DispatchTime.now() + .seconds(Self.timeoutSeconds)
            guard let problem = conversation.problem(at: deadline) else { return }
            throw Failure("\(endpoint) does not answer: \(problem)")
        }
    }
}

/// Joins the error's lines, one for each attempt.
package func oneLine(_ error: ConnectError) -> String {
    "\(error)".split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
        .joined(separator: "; ")
}

/// One connection, one question, one answer. Runs on the connection's queue.
private final class Conversation: Sendable {
    private let question: [UInt8]
    private let answer: [UInt8]
    private let hasEnded = DispatchSemaphore(value: 0)
    private let once = DispatchOnce()
    private let ending = Locked<String?>(nil)

    init(_ question: [UInt8], _ answer: [UInt8]) {
        self.question = question
        self.answer = answer
    }

    func begin(_ connector: Connector, _ endpoint: Endpoint) {
        let queue = DispatchQueue(label: "health-check")
        connector.connect(to: endpoint, queue: queue) { result in
            switch result {
            case .failure(let error): self.end(oneLine(error))
            case .success(let connection): self.ask(connection)
            }
        }
    }

    private func ask(_ connection: Connection) {
        guard !(question.isEmpty && answer.isEmpty) else { return end(nil) }
        var received: [UInt8] = []
        connection.setReceiveHandler { _, bytes in
            bytes.withUnsafeBytes { received += $0 }
            self.compare(received)
        }
        connection.setCloseHandler { _, reason in
            self.end("the server closed the connection before the answer was complete (\(reason))")
        }
        connection.activate()
        if !question.isEmpty { connection.send(question) }
    }

    private func compare(_ received: [UInt8]) {
        if !received.prefix(answer.count).elementsEqual(answer.prefix(received.count)) {
            end("the answer is wrong")
        } else if received.count >= answer.count {
            end(nil)
        }
    }

    private func end(_ problem: String?) {
        once.perform {
            ending.withLock { $0 = problem }
            hasEnded.signal()
        }
    }

    /// Waits for the end; nil: the answer was right.
    func problem(at deadline: DispatchTime) -> String? {
        guard hasEnded.wait(timeout: deadline) == .success else { return "no answer in time" }
        return ending.withLock { $0 }
    }
}
