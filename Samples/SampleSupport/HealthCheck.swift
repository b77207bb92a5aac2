internal import ArgumentParser
internal import Glibc
internal import RingDispatch
package import RingNetwork

/// `--check`: the program does not serve, but asks a server that has the same options whether that
/// one does. For an image that has no other client in it.
package struct HealthCheck: ParsableArguments {
    @Flag(
        name: .customLong("check"),
        help: "Ask the server that runs with these options whether it serves, and exit.")
    package var isWanted = false

    package init() {}

    private static let timeoutSeconds = 3

    /// Connects to `host` and `port`, asks, and waits for the answer: not on a queue. Call it
    /// before anything has used the runtime.
    /// - Parameters:
    ///   - question: nothing for a server that speaks first, or that says nothing.
    ///   - answer: what it has to begin with.
    /// - Throws: the server does not answer so.
    package func ask(
        _ question: [UInt8], expecting answer: [UInt8], host: String, port: UInt16,
        options: ConnectorOptions = ConnectorOptions()
    ) throws {
        // One question: it needs no more, and nobody wants to know how it was asked.
        setenv("RINGDISPATCH_LOOPS", "1", 1)
        setenv("RINGDISPATCH_LOG", "off", 1)
        try ListeningAddress.first(host: host, port: port) { endpoint in
            let conversation = Conversation(question, answer)
            conversation.begin(Connector(options: options), endpoint)
            let deadline = DispatchTime.now() + .seconds(Self.timeoutSeconds)
            guard let problem = conversation.problem(at: deadline) else { return }
            throw Failure("\(endpoint) does not serve: \(problem)")
        }
    }
}

/// Attempts are a line each.
private func oneLine(_ error: ConnectError) -> String {
    "\(error)".split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
        .joined(separator: "; ")
}

/// One connection, one question, one answer. Confined to the connection's queue, once there is one.
private final class Conversation: @unchecked Sendable {
    // Safety: see above; `ending` is written before the semaphore is signalled, once, and read
    // after the wait.
    private let question: [UInt8]
    private let answer: [UInt8]
    private var received: [UInt8] = []
    private let hasEnded = DispatchSemaphore(value: 0)
    private let once = DispatchOnce()
    private var ending: String?

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
        connection.setReceiveHandler { _, bytes in self.receive(bytes) }
        connection.setCloseHandler { _, reason in
            self.end("it closed the connection before its answer was whole (\(reason))")
        }
        connection.activate()
        if !question.isEmpty { connection.send(question) }
    }

    private func receive(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { received += $0 }
        if !received.prefix(answer.count).elementsEqual(answer.prefix(received.count)) {
            end("its answer is wrong")
        } else if received.count >= answer.count {
            end(nil)
        }
    }

    private func end(_ problem: String?) {
        once.perform {
            ending = problem
            hasEnded.signal()
        }
    }

    /// Nil: all is well.
    func problem(at deadline: DispatchTime) -> String? {
        guard hasEnded.wait(timeout: deadline) == .success else { return "no answer in time" }
        return ending
    }
}
