import ArgumentParser
import KeyValueStore
import RingDispatch
import RingNetwork
import SampleSupport

/// The command: options, set-up, serve until a signal comes.
@main
struct KeyValueServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "KeyValueServer",
        abstract: "Keys and values in memory, for redis-cli and whoever else speaks RESP2.",
        discussion: "Runs until SIGINT (Ctrl-C) or SIGTERM, then prints a summary.")

    @Option(help: "Address to listen on: 127.0.0.1, 0.0.0.0, ::1.")
    var host = "127.0.0.1"

    @Option(help: "Port to listen on; 0 takes a free one.")
    var port: UInt16 = 6380

    @Option(help: "Isolation queues that share the keys: a power of two, at most 64.")
    var shards = 16

    @Option(help: "Bytes that keys and values may take; without it there is no limit.")
    var maxMemory: Int?

    @OptionGroup var runtime: RuntimeOptions

    @OptionGroup var healthCheck: HealthCheck

    func validate() throws {
        guard shards > 0, shards <= 64, shards & (shards - 1) == 0 else {
            throw ValidationError("--shards \(shards): must be a power of two, at most 64")
        }
        if let maxMemory, maxMemory <= 0 {
            throw ValidationError("--max-memory \(maxMemory): must be above 0")
        }
    }

    func run() throws {
        runtime.apply()
        if healthCheck.isWanted {
            return try healthCheck.ask(
                Array("PING\r\n".utf8), expecting: Array("+PONG\r\n".utf8), host: host, port: port)
        }
        DescriptorLimit.raise()
        var settings = StoreConfiguration()
        settings.shardCount = shards
        if let maxMemory { settings.maxMemoryBytes = maxMemory }
        let store = Store(settings)

        let listener = try ListeningAddress.first(host: host, port: port) { try Listener($0) }
        listener.setConnectionHandler { Client.serve($0, from: store) }
        let stop = DispatchSemaphore(value: 0)
        let signals = ShutdownSignals { stop.signal() }
        listener.activate()
        writeLine("listening on \(listener.endpoint)")

        stop.wait()
        withExtendedLifetime(signals) {}
        let ended = DispatchSemaphore(value: 0)
        listener.shutdown(deadline: .now() + .seconds(KeyValueServer.drainSeconds)) { report in
            writeLine(KeyValueServer.summary(listener.acceptedConnections, report))
            ended.signal()
        }
        ended.wait()
    }

    /// How long clients may take to have the replies that are under way.
    private static let drainSeconds = 5

    private static func summary(_ connections: Int, _ report: ShutdownReport) -> String {
        let cut = report.aborted.count + report.unfinished
        let served = "served \(connections) connections"
        return cut == 0 ? served : served + ", \(cut) did not take their replies in time"
    }
}
