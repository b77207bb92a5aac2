import ArgumentParser
import Glibc
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
        var settings = StoreConfiguration()
        settings.shardCount = shards
        if let maxMemory { settings.maxMemoryBytes = maxMemory }
        let store = Store(settings)

        let listener = try Listener(Endpoint(host: host, port: port))
        listener.setConnectionHandler { Client.serve($0, from: store) }
        listener.activate()
        print("listening on \(listener.endpoint)")
        fflush(nil)

        let stopped = DispatchSemaphore(value: 0)
        let signals = [SIGINT, SIGTERM].map { signal in
            let source = DispatchSource.makeSignalSource(signal: signal)
            source.setEventHandler { stopped.signal() }
            source.activate()
            return source
        }
        stopped.wait()
        signals.forEach { $0.cancel() }
        stop(listener, within: KeyValueServer.drainSeconds)
        print("served \(listener.queue.sync { listener.acceptedConnections }) connections")
    }

    /// How long connections may take to send what is under way.
    private static let drainSeconds = 5

    private func stop(_ listener: Listener, within seconds: Int) {
        let closed = DispatchGroup()
        listener.queue.sync {
            listener.stop()
            for connection in listener.connections {
                closed.enter()
                connection.setCloseHandler { _, _ in closed.leave() }
                connection.close()
            }
        }
        if closed.wait(timeout: .now() + .seconds(seconds)) == .timedOut {
            print("some clients did not take their replies within \(seconds) s")
        }
    }
}
