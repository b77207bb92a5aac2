import ArgumentParser
import LoadTesting
import RingNetwork
import SampleSupport

/// How the load is shaped.
struct LoadOptions: ParsableArguments {
    @Option(help: "Connections to open.")
    var connections = 64

    @Option(help: "How long to measure: 500ms, 10s, 2m.")
    var duration = TimeSpan(seconds: 10)

    @Option(help: "How long to run before measuring; 0s for not at all.")
    var warmup = TimeSpan(seconds: 1)

    @Option(help: "End after so many measured messages, if that is sooner than --duration.")
    var requests: Int?

    @Option(help: "Bytes in a message: 64, 16..4096, or sizes with weights: 64:90,1024:10.")
    var size = "64"

    @Option(help: "Messages a connection keeps under way.")
    var pipeline = 1

    @Option(help: "Open loop: so many messages a second, whatever the server does: 5000, 50k, 1m.")
    var rate: Rate?

    @Flag(help: "With --rate: at random distances, as independent users ask.")
    var poisson = false

    @Option(help: "Connections begun each second (default: as fast as they are accepted).")
    var connectRate: Rate?

    @Option(help: "Close a connection after so many messages, and make a new one.")
    var churn: Int?

    @Option(help: "Connections beside the load that are made and left alone.")
    var idle = 0

    @Option(help: "Addresses of this machine to connect from, in turn: 127.0.0.2,127.0.0.3.")
    var source: String?

    @Option(help: "A connection that gets no answer for this long has failed.")
    var stallTimeout = TimeSpan(seconds: 5)

    @Option(help: "What the messages' bytes are made from.")
    var seed: UInt64 = 1

    @Option(help: "The server's process on this machine: its CPU time is reported, too.")
    var pid: Int32?

    @Option(
        help: """
            Ill-behaved clients beside the load, separated by commas: slow-reader, slow-writer, \
            half-close, reset, garbage, stay.
            """)
    var hostile: String?

    @Option(help: "How many of each --hostile kind.")
    var hostileConnections = 8

    func apply(to plan: inout LoadPlan) throws {
        plan.connections = connections
        plan.pipeline = pipeline
        plan.sizes = try MessageSizes(size)
        plan.durationNanoseconds = duration.nanoseconds
        plan.warmupNanoseconds = warmup.nanoseconds
        plan.requests = requests
        plan.stallNanoseconds = stallTimeout.nanoseconds
        plan.seed = seed
        plan.observedProcess = pid
        plan.connectsPerSecond = connectRate?.perSecond
        plan.messagesPerConnection = churn
        plan.idleConnections = idle
        plan.hostileConnections = hostileConnections
        plan.hostile = try profiles()
        plan.sources = try addresses()
        if let rate {
            plan.schedule =
                poisson ? .poisson(perSecond: rate.perSecond) : .constant(perSecond: rate.perSecond)
        } else if poisson {
            throw ValidationError("--poisson needs --rate: how many messages a second?")
        }
    }

    private func profiles() throws -> [HostileProfile] {
        try (hostile ?? "").split(separator: ",").map { name in
            guard let profile = HostileProfile(rawValue: String(name)) else {
                let known = HostileProfile.allCases.map(\.rawValue).joined(separator: ", ")
                throw ValidationError("--hostile \(name): must be one of \(known)")
            }
            return profile
        }
    }

    private func addresses() throws -> [IPAddress] {
        try (source ?? "").split(separator: ",").map { text in
            guard let endpoint = try? Endpoint(host: String(text), port: 0),
                let address = endpoint.ipAddress
            else {
                throw ValidationError(
                    "--source \(text): write addresses, as in 127.0.0.2,127.0.0.3")
            }
            return address
        }
    }
}
