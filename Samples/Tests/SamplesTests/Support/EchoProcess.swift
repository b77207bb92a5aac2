import Glibc

/// A running sample server.
struct EchoProcess {
    let process: ChildProcess
    let port: UInt16

    func connect() throws -> Client { try Client(port: port) }

    /// Connects a client and waits for an answer, so that the server has accepted it.
    func connectAndGreet() throws -> Client {
        let client = try connect()
        let greeting = Array("hello".utf8)
        try client.send(greeting)
        let answer = try client.receive(count: greeting.count)
        guard answer == greeting else { throw Trouble("the greeting was answered by \(answer)") }
        return client
    }

    /// Sends without reading until the socket is full and the server asleep, since a server that is
    /// only slow would still read. Returns the number of bytes sent.
    func fill(_ client: Client, _ bytes: [UInt8], at server: pid_t? = nil) throws -> Int {
        let deadline = Deadline()
        var (sent, quietSamples) = (0, 0)
        while sent < bytes.count, quietSamples < 3 {
            if deadline.isOver { throw Trouble("the server is never at rest") }
            let soon = Deadline(afterMilliseconds: 30)
            let count = try client.sendSome(bytes[sent...], until: soon)
            sent += count
            let isQuiet = try count == 0 && ProcessInformation.isAsleep(server ?? process.processID)
            quietSamples = isQuiet ? quietSamples + 1 : 0
        }
        return sent
    }

    /// Waits until the server uses less than a tenth of a CPU for a while. A server that polls
    /// never does.
    func waitUntilCalm() throws {
        let milliseconds: UInt32 = 300
        let deadline = Deadline()
        while true {
            let before = try ProcessInformation.processorNanoseconds(process.processID)
            letPass(milliseconds: milliseconds)
            let spent = try ProcessInformation.processorNanoseconds(process.processID) - before
            if spent < UInt64(milliseconds) * 1_000_000 / 10 { return }
            if deadline.isOver { throw Trouble("\(spent) ns in \(milliseconds) ms") }
        }
    }

    /// Sends the signal and waits for the end.
    func end(by signal: Int32) throws -> Ending {
        process.send(signal)
        return try process.waitForEnd()
    }
}

/// Starts a server on a free port, runs `body`, and ends the server in any case. Throws if the
/// server ended early.
func withServer<Result>(
    _ program: Program, _ setting: Setting, arguments: [String] = [], environment: [String] = [],
    refusal: Refusal? = nil, descriptors: Int? = nil, _ body: (EchoProcess) throws -> Result
) throws -> Result {
    let process = try program.start(
        program.freePort + arguments, environment: setting.environment + environment,
        refusal: refusal ?? setting.refusal, descriptors: descriptors)
    defer { process.send(SIGKILL) }
    let address = try process.output.waitForLine(beginning: "listening on ")
    guard address.hasPrefix("127.0.0.1:"), let port = UInt16(address.dropFirst(10)), port > 0 else {
        throw Trouble("listens on '\(address)', not on a port of 127.0.0.1")
    }
    let server = EchoProcess(process: process, port: port)
    do {
        return try body(server)
    } catch {
        throw Trouble("\(error) [\(process.wordsAtTheEnd)]")
    }
}
