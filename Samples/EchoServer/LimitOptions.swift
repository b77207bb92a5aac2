import ArgumentParser
import RingDispatch
import RingNetwork
import SampleSupport

/// Limits that protect the server from its clients.
struct LimitOptions: ParsableArguments {
    @Option(help: "Most clients at the same time; more wait until one leaves.")
    var maxConnections: Int?

    @Option(help: "Most clients of one address (IPv6: one /64); more are reset.")
    var maxPerPeer: Int?

    @Option(help: "Most new clients per second; more wait.")
    var acceptRate: Int?

    @Option(help: "Close a client that neither sends nor receives anything for this long.")
    var idleTimeout: TimeSpan?

    @Option(help: "Reset a client that accepts none of the data sent to it for this long.")
    var sendTimeout = TimeSpan(seconds: 60)

    @Option(help: "Reset a client that has not finished the TLS handshake after this long.")
    var handshakeTimeout = TimeSpan(seconds: 10)

    @Option(help: "How long clients may take to receive their data after SIGTERM.")
    var drain = TimeSpan(seconds: 5)

    func validate() throws {
        let counts = [
            ("--max-connections", maxConnections, "client"),
            ("--max-per-peer", maxPerPeer, "client"),
            ("--accept-rate", acceptRate, "client per second"),
        ]
        for case (let name, let count?, let unit) in counts where count < 1 {
            throw ValidationError("\(name) \(count): must be 1 \(unit) or more")
        }
        let spans: [(String, TimeSpan?)] = [
            ("--idle-timeout", idleTimeout), ("--send-timeout", sendTimeout),
            ("--handshake-timeout", handshakeTimeout),
        ]
        for case (let name, let span?) in spans where span.nanoseconds == 0 {
            let hint = name == "--idle-timeout" ? "; leave it out for no limit" : ""
            throw ValidationError("\(name) 0s: must be above 0 s\(hint)")
        }
    }

    var listenerOptions: ListenerOptions {
        var options = ListenerOptions()
        options.connectionLimit = maxConnections ?? .max
        options.connectionLimitPerPeer = maxPerPeer ?? .max
        options.acceptRate = acceptRate.map {
            AcceptRate(connectionsPerSecond: Double($0), burst: $0)
        }
        options.connection.timeouts.idle = idleTimeout?.interval ?? .never
        options.connection.timeouts.send = sendTimeout.interval
        options.connection.timeouts.handshake = handshakeTimeout.interval
        return options
    }
}
