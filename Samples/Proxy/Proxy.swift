import ArgumentParser
import Glibc
import RingDispatch
import RingNetwork
import SampleSupport

/// The program: options, set-up, and forwarding until a signal arrives.
@main
struct Proxy: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Proxy",
        abstract: "Forwards bytes between clients and a server, until Ctrl-C or SIGTERM.",
        discussion: "Addresses: 127.0.0.1:7000, [::1]:7000, unix:/path, unix:@NAME.",
        version: "Proxy \(programVersion)")

    @Option(
        help: "Address to listen on (default: 127.0.0.1:7000). Repeat it for several.",
        transform: { try Endpoint($0) })
    var listen: [Endpoint] = []
    @Option(help: "The server's address, or name and port.", transform: { try Endpoint($0) })
    var to: Endpoint
    @Option(help: "How long connecting to the server may take.")
    var connectTimeout = TimeSpan(seconds: 5)
    @Option(help: "End a pair of connections that transfer nothing for this long.")
    var idleTimeout: TimeSpan?
    @Option(help: "How long transfers may take to finish after SIGTERM.")
    var drain = TimeSpan(seconds: 5)
    @OptionGroup var runtime: RuntimeOptions

    static func main() { start() }

    func validate() throws {
        if connectTimeout.nanoseconds == 0 || idleTimeout?.nanoseconds == 0 {
            throw ValidationError("--connect-timeout and --idle-timeout must be above 0 s")
        }
    }

    func run() throws {
        // First: the runtime reads its environment variables only once.
        runtime.apply()
        DescriptorLimit.raise()
        var options = ListenerOptions()
        // Unsent bytes stop the other connection of the pair, from which they are.
        options.connection.pausesReceivingWhileUnwritable = false
        // --idle-timeout limits how long a reader may pause.
        options.connection.timeouts.send = .never
        let endpoints = try listen.isEmpty ? [Endpoint("127.0.0.1:7000")] : listen
        let listener = try Listener(endpoints, options: options)
        var connecting = ConnectorOptions()
        connecting.timeout = connectTimeout.interval
        connecting.connection = options.connection
        let upstream = Upstream(
            endpoint: to, connector: Connector(options: connecting), idleTimeout: idleTimeout)
        listener.setConnectionHandler { client in
            // Now, so that a shutdown finds it. Without a handler it receives nothing.
            client.activate()
            client.queue.async { Pair(client, upstream).begin() }
        }
        listener.activate()
        onShutdownSignal { [drain] in
            listener.shutdown(deadline: .now() + drain.interval) { report in
                let aborted = report.aborted.count + report.unfinished
                writeLine("served \(listener.acceptedConnections) connections, aborted \(aborted)")
                Glibc.exit(0)
            }
        }
        for endpoint in listener.endpoints { writeLine("listening on \(endpoint)") }
        dispatchMain()
    }
}
