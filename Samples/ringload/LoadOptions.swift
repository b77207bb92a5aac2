import ArgumentParser
import LoadTesting
import RingNetwork
import SampleSupport

/// The shape of the load.
struct LoadOptions: ParsableArguments {
    @Option(help: "Connections to open.")
    var connections = 64

    @Option(help: "How long to measure: 500ms, 10s, 2m.")
    var duration = TimeSpan(seconds: 10)

    @Option(help: "How long to run before measuring; 0s for no warm-up.")
    var warmup = TimeSpan(seconds: 1)

    @Option(help: "Stop after this many measured messages, if sooner than --duration.")
    var requests: Int?

    @Option(help: "Bytes in a message: 64, 16..4096, or sizes with weights: 64:90,1024:10.")
    var size = "64"

    @Option(help: "Messages in flight on each connection.")
    var pipeline = 1

    @Option(
        help: """
            Open loop: messages per second, above 0, on schedule: 5000, 50k, 1m; or a ramp over \
            the measured time: 1k..50k.
            """)
    var rate: Rates?

    @Flag(help: "With --rate or --sweep: send at random intervals, like independent users.")
    var poisson = false

    @Option(help: "Connections to start per second, above 0 (default: as fast as accepted).")
    var connectRate: Rate?

    @Option(help: "Replace a connection after this many messages.")
    var churn: Int?

    @Option(help: "Additional connections that stay idle.")
    var idle = 0

    @Option(help: "Local addresses to connect from, in turn: 127.0.0.2,127.0.0.3.")
    var source: String?

    @Option(help: "Fail a connection that gets no answer for this long.")
    var stallTimeout = TimeSpan(seconds: 5)

    @Option(help: "Seed of the messages' bytes, sizes and random intervals.")
    var seed: UInt64 = 1

    @Option(help: "Process ID of the server on this machine, to report its CPU time as well.")
    var pid: Int32?

    @Flag(
        help: """
            Measure the server's CPU time for a message at a fixed --rate. Finds the process that \
            listens at the targets, unless --pid names it. Exit status 1 if the server did not \
            keep the rate.
            """)
    var serverCPU = false

    @Option(
        help: """
            Ill-behaved clients besides the load, separated by commas: slow-reader, slow-writer, \
            half-close, reset, garbage, stay.
            """)
    var hostile: String?

    @Option(help: "Number of connections of each --hostile kind.")
    var hostileConnections = 8

    /// - Parameter sweepStart: the first rate of a sweep.
    func apply(to plan: inout LoadPlan, sweepStart: Double?) throws {
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
            plan.schedule = schedule(rate)
        } else if let sweepStart {
            plan.schedule = evenSchedule(sweepStart)
        } else if poisson {
            throw ValidationError("--poisson needs --rate, the messages per second, or --sweep")
        }
        if serverCPU, rate?.isConstant != true {
            throw ValidationError(
                "--server-cpu needs a fixed --rate of messages per second, as in --rate 20k: the "
                    + "CPU time for a message depends on the rate")
        }
    }

    private func schedule(_ rates: Rates) -> Schedule {
        if !rates.isConstant {
            return .ramp(from: rates.first, to: rates.last, isPoisson: poisson)
        }
        return evenSchedule(rates.first)
    }

    private func evenSchedule(_ perSecond: Double) -> Schedule {
        poisson ? .poisson(perSecond: perSecond) : .constant(perSecond: perSecond)
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
