import ArgumentParser
import RingDispatch
import RingNetwork
import SampleSupport

/// The program: options, set-up, and serving until a signal arrives.
@main
struct ChatServer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ChatServer",
        abstract: "Rooms in which people exchange lines, until Ctrl-C or SIGTERM.",
        discussion: "Try it with nc or telnet; with a certificate, with openssl s_client.",
        version: "ChatServer \(programVersion)")

    @Option(help: "Address to listen on: 127.0.0.1, 0.0.0.0, ::1.")
    var host = "127.0.0.1"
    @Option(help: "Port to listen on; 0 takes a free one.")
    var port: UInt16 = 7070
    @Option(help: "Lines that may wait for a client that reads slowly.")
    var outbox = 100
    @Option(help: "What happens when more wait: drop-lines or drop-client.")
    var slowReaders = SlowReaderPolicy.dropLines
    @Option(help: "How long clients may take to receive their last lines after SIGTERM.")
    var drain = TimeSpan(seconds: 5)

    @OptionGroup(title: "TLS") var security: SecurityOptions
    @OptionGroup var runtime: RuntimeOptions

    static func main() async { await start() }

    func validate() throws {
        if outbox < 1 { throw ValidationError("--outbox must be at least 1 line") }
    }

    func run() async throws {
        // First: the runtime reads its environment variables only once.
        runtime.apply()
        DescriptorLimit.raise()
        var options = ListenerOptions()
        // With the outbox, this bounds what a client that does not read costs.
        options.connection.sendHighWaterBytes = 16 * 1024
        options.connection.sendLowWaterBytes = 4 * 1024
        try ServerSecurity(security).apply(to: &options)
        let listener = try ListeningAddress.first(host: host, port: port) {
            try Listener($0, options: options)
        }
        let chat = Chat()
        let (limit, policy, drain) = (outbox, slowReaders, drain)
        onShutdownSignal {
            listener.shutdown(deadline: .now() + drain.interval) { _ in }
        }
        writeLine("listening on \(listener.endpoint)")
        // Returns after a signal, when the last client has left.
        await listener.run { client in
            try await Session(client, chat, Outbox(limit: limit, policy)).run()
        }
        let report = await listener.shutdown(deadline: .now() + drain.interval)
        let aborted = report.aborted.count + report.unfinished
        let accepted = listener.queue.sync { listener.acceptedConnections }
        writeLine("served \(accepted) connections, aborted \(aborted)")
    }
}
