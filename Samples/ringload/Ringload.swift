import ArgumentParser
import Glibc
import RingDispatch
import SampleSupport

/// The command: options, checks, run, report.
@main
struct Ringload: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ringload",
        abstract: "A closed-loop load client for TCP echo servers that checks every byte it gets.",
        discussion: """
            Each connection keeps --pipeline messages under way and sends the next one when an \
            echo has come back whole and right. Progress goes to standard error, the report to \
            standard output. Ctrl-C ends the run early, with its report.

            Exit status: 0 all well, 1 a mismatch or a connection error, 64 wrong usage.
            """)

    @Argument(help: "The server: tcp://127.0.0.1:7007, tcp://[::1]:7007, tcp://localhost:7007.")
    var target: Target

    @Option(help: "Connections to open.")
    var connections = 64

    @Option(help: "How long to measure: 500ms, 10s, 2m.")
    var duration = TimeSpan(seconds: 10)

    @Option(help: "How long to run before measuring; 0s for not at all.")
    var warmup = TimeSpan(seconds: 1)

    @Option(help: "Bytes in a message.")
    var size = 64

    @Option(help: "Messages a connection keeps under way.")
    var pipeline = 1

    @Option(help: "A connection that gets no answer for this long has failed.")
    var stallTimeout = TimeSpan(seconds: 5)

    @Option(help: "What the messages' bytes are made from.")
    var seed: UInt64 = 1

    @Option(help: "Write the report to this file, too, as JSON.")
    var json: String?

    @OptionGroup var runtime: RuntimeOptions

    func validate() throws {
        try Limits.check("--connections", connections, Limits.connections)
        try Limits.check("--size", size, Limits.messageSizeBytes)
        try Limits.check("--pipeline", pipeline, Limits.pipeline)
        guard connections * pipeline * size <= Limits.bytesUnderWay else {
            throw ValidationError(
                "--connections x --pipeline x --size is \(connections * pipeline * size) bytes of "
                    + "memory: more than \(Limits.bytesUnderWay); make one of them smaller")
        }
        guard duration.nanoseconds > 0, stallTimeout.nanoseconds > 0 else {
            throw ValidationError("--duration and --stall-timeout must be longer than nothing")
        }
    }

    func run() throws {
        // First: the runtime reads its settings once.
        runtime.apply()
        signal(SIGPIPE, SIG_IGN)
        try ensureDescriptors(forConnections: connections)
        let file = try json.map { try JSONFile(path: $0) }
        do {
            let report = try measure()
            print(report.text)
            fflush(nil)
            try file?.commit(report.json)
            if report.hasFailed { throw ExitCode(1) }
        } catch {
            file?.discard()
            throw error
        }
    }

    private func measure() throws -> Report {
        let shards = min(connections, runtime.laneCount)
        let configuration = LoadConfiguration(
            target: target, connections: connections, sizeBytes: size, pipeline: pipeline,
            warmup: warmup, duration: duration, stallTimeout: stallTimeout, seed: seed,
            shards: shards, backend: runtime.backendName)
        let address = try reachableAddress(of: target)
        let run = LoadRun(configuration, address: address)
        let signals = ShutdownSignals { run.interrupt() }
        return try withExtendedLifetime(signals) { try run.waitForReport() }
    }
}

/// What a run may ask for; a mistyped number is an error, not a dead machine.
enum Limits {
    static let connections = 1...1_000_000
    static let messageSizeBytes = 1...(16 * 1024 * 1024)
    static let pipeline = 1...4096
    static let bytesUnderWay = 2 * 1024 * 1024 * 1024

    static func check(_ name: String, _ value: Int, _ range: ClosedRange<Int>) throws {
        guard range.contains(value) else {
            throw ValidationError(
                "\(name) \(value): must be \(range.lowerBound) to \(range.upperBound)")
        }
    }
}
