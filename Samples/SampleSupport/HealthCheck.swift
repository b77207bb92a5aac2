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
        // The server's trace would be replaced.
        unsetenv("RINGDISPATCH_TRACE")
        let connector = Connector(options: options)
        try ListeningAddress.first(host: host, port: port) { endpoint in
            let problem = Locked<String?>("no answer in time")
            let hasEnded = DispatchSemaphore(value: 0)
            Task {
                let found = await Self.problem(connector, endpoint, question, answer)
                problem.withLock { $0 = found }
                hasEnded.signal()
            }
            _ = hasEnded.wait(timeout: .now() + .seconds(Self.timeoutSeconds))
            guard let problem = problem.withLock({ $0 }) else { return }
            throw Failure("\(endpoint) does not answer: \(problem)")
        }
    }

    /// Requests `/healthz`; otherwise like `ask`.
    package func askHTTP(host: String, port: UInt16) throws {
        try ask(
            Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8),
            expecting: Array("HTTP/1.1 200 ".utf8), host: host, port: port)
    }

    /// Nil if the answer is right.
    private static func problem(
        _ connector: Connector, _ endpoint: Endpoint, _ question: [UInt8], _ answer: [UInt8]
    ) async -> String? {
        do {
            try await connector.withConnection(to: endpoint) { server in
                if !question.isEmpty { try await server.send(question) }
                var rest = answer[...]
                while !rest.isEmpty {
                    guard let bytes = try await server.receive() else {
                        throw ReceiveError.closed(.ended)
                    }
                    guard bytes.prefix(rest.count).elementsEqual(rest.prefix(bytes.count)) else {
                        throw Failure("the answer is wrong")
                    }
                    rest = rest.dropFirst(bytes.count)
                }
            }
            return nil
        } catch let error as ConnectError {
            return oneLine(error)
        } catch ReceiveError.closed(let reason) {
            return "the server closed the connection before the answer was complete (\(reason))"
        } catch {
            return "\(error)"
        }
    }
}

/// Joins the error's lines, one for each attempt.
package func oneLine(_ error: ConnectError) -> String {
    "\(error)".split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }
        .joined(separator: "; ")
}
