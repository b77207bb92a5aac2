import ArgumentParser
import Glibc
import RingDispatch
import RingNetwork
import SampleSupport

/// The program: options, set-up, and serving until a signal arrives.
@main
struct KeyValueServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "KeyValueServer",
        abstract: "Keys and values in memory, for clients of Redis, until Ctrl-C or SIGTERM.",
        version: "KeyValueServer \(programVersion)")

    @Option(help: "Address to listen on: 127.0.0.1, 0.0.0.0, ::1.")
    var host = "127.0.0.1"
    @Option(help: "Port to listen on; 0 takes a free one.")
    var port: UInt16 = 6380
    @Option(help: "Bytes that keys and values may take; 0: as many as there are.")
    var maxMemory: UInt = 0

    @OptionGroup var runtime: RuntimeOptions
    @OptionGroup var healthCheck: HealthCheck

    static func main() { start() }

    func run() throws {
        runtime.apply()
        if healthCheck.isWanted {
            return try healthCheck.ask(
                Array("PING\r\n".utf8), expecting: Array("+PONG\r\n".utf8), host: host, port: port)
        }
        DescriptorLimit.raise()
        let database = Database(maxMemory: Int(clamping: maxMemory))
        var options = ListenerOptions()
        options.placement = ConnectionPlacement(queue: database.queue)
        let listener = try ListeningAddress.first(host: host, port: port) {
            try Listener($0, options: options, target: database.queue)
        }
        listener.setConnectionHandler { Session.serve($0, database) }
        listener.activate()
        onShutdownSignal {
            // Clients have five seconds to take the replies that are under way.
            listener.shutdown(deadline: .now() + .seconds(5)) { report in
                let aborted = report.aborted.count + report.unfinished
                writeLine("served \(listener.acceptedConnections) connections, aborted \(aborted)")
                Glibc.exit(0)
            }
        }
        writeLine("listening on \(listener.endpoint)")
        dispatchMain()
    }
}
