import ArgumentParser
import RingDispatch
import RingNetwork
import SampleSupport

/// What protects the server from its clients.
struct LimitOptions: ParsableArguments {
    @Option(help: "Clients at once; more wait until one leaves.")
    var maxConnections: Int?

    @Option(help: "Clients at once of one address (IPv6: one /64); more are reset.")
    var maxPerPeer: Int?

    @Option(help: "New clients in a second; more wait.")
    var acceptRate: Int?

    @Option(help: "A client that neither sends nor takes anything for so long is closed.")
    var idleTimeout: TimeSpan?

    @Option(help: "A client that takes nothing of what it was sent for so long is reset.")
    var sendTimeout: TimeSpan?

    @Option(help: "A client that has not agreed on TLS after so long is reset.")
    var handshakeTimeout = TimeSpan(seconds: 10)

    @Option(help: "At SIGTERM, what clients have not taken after so long is lost.")
    var drain = TimeSpan(seconds: 5)

    func validate() throws {
        let counts = [
            ("--max-connections", maxConnections), ("--max-per-peer", maxPerPeer),
            ("--accept-rate", acceptRate),
        ]
        for case (let name, let count?) in counts where count < 1 {
            throw ValidationError("\(name) \(count): must be 1 or more")
        }
        let spans = [
            ("--idle-timeout", idleTimeout), ("--send-timeout", sendTimeout),
            ("--handshake-timeout", handshakeTimeout),
        ]
        for case (let name, let span?) in spans where span.nanoseconds == 0 {
            throw ValidationError("\(name) 0s: must be above 0; leave it out for no limit")
        }
    }

    var listenerOptions: ListenerOptions {
        var options = ListenerOptions()
        options.connectionLimit = maxConnections ?? .max
        options.connectionLimitPerPeer = maxPerPeer ?? .max
        options.acceptRate = acceptRate.map {
            AcceptRate(connectionsPerSecond: Double($0), burst: $0)
        }
        options.replacesStaleUnixSocket = true
        options.connection.timeouts.idle = idleTimeout?.interval ?? .never
        options.connection.timeouts.send = sendTimeout?.interval ?? .never
        options.connection.timeouts.handshake = handshakeTimeout.interval
        return options
    }
}
