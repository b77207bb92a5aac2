import ArgumentParser
import RingDispatch
import SampleSupport

/// The command line program.
@main
struct EchoServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "EchoServer",
        abstract: "An echo server on RingNetwork: TCP, TLS, UDP and Unix sockets at once.",
        discussion: """
            Prints a line that begins with "listening" when clients can connect. Runs until SIGINT \
            (Ctrl-C) or SIGTERM, then lets its clients drain and prints a summary. SIGHUP reloads \
            the certificate. Sockets passed by systemd (LISTEN_FDS) take the place of --host and \
            --port.

            Exit status: 0 after a clean stop, 1 when the server cannot start, 64 for wrong \
            options. With --check: 0 when the server answers, 1 when it does not.
            """,
        version: "EchoServer \(programVersion)")

    @OptionGroup(title: "Addresses") var addresses: AddressOptions

    @Option(help: "What to do with received bytes: echo, discard or chargen.")
    var mode = Mode.echo

    @OptionGroup(title: "TLS") var security: SecurityOptions
    @OptionGroup(title: "Limits and time-outs") var limits: LimitOptions

    @Option(help: "Print the traffic to standard error at this interval, such as 1s.")
    var statistics: TimeSpan?

    @OptionGroup(title: "Runtime") var runtime: RuntimeOptions
    @OptionGroup(title: "Health check") var healthCheck: HealthCheck

    static func main() { start() }

    func validate() throws {
        if let statistics, statistics.nanoseconds == 0 {
            throw ValidationError("--statistics 0s: must be above 0 s; leave it out for none")
        }
    }

    func run() throws {
        // First: the runtime reads its environment variables only once.
        runtime.apply()
        if healthCheck.isWanted { return try mode.check(healthCheck, addresses, security) }
        DescriptorLimit.raise()

        let server = try Server(addresses, mode, limits, security)
        let stop = DispatchSemaphore(value: 0)
        onShutdownSignal { stop.signal() }
        server.activate()
        for line in server.announcements { writeLine(line) }
        let ticker = statistics.map { Ticker(every: $0, of: server.ledger) }

        stop.wait()
        ticker?.stop()
        writeLine(server.stop(within: limits.drain))
    }
}
