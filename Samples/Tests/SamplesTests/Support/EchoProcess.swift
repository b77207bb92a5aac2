import Glibc

/// A sample server that listens.
struct EchoProcess {
    let process: ChildProcess
    let port: UInt16

    func connect() throws -> Client { try Client(port: port) }

    /// A client that was answered, so that the server knows it.
    func connectAndGreet() throws -> Client {
        let client = try connect()
        let greeting = Array("hello".utf8)
        try client.send(greeting)
        let answer = try client.receive(count: greeting.count)
        guard answer == greeting else { throw Trouble("the greeting came back as \(answer)") }
        return client
    }

    /// Sends the signal and waits for the end.
    func end(by signal: Int32) throws -> Ending {
        process.send(signal)
        return try process.waitForEnd()
    }
}

/// Starts a server on a free port, runs `body`, and ends the server whatever happens. A server that
/// ended before it was told to is an error.
func withServer<Result>(
    _ program: Program, _ setting: Setting, arguments: [String] = [], environment: [String] = [],
    refusal: Refusal? = nil, descriptors: Int? = nil, _ body: (EchoProcess) throws -> Result
) throws -> Result {
    let process = try program.start(
        ["--port", "0"] + arguments, environment: setting.environment + environment,
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
        // One that is about to end, as a crash takes its time, may finish what it says.
        let ending = try? process.waitForEnd(until: Deadline(afterMilliseconds: 500))
        let state = ending.map { "has ended by \($0)" } ?? "runs"
        throw Trouble("\(error) [the server \(state); \(process.words)]")
    }
}
