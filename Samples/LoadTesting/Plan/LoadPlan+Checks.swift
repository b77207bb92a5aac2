internal import RingDispatch

extension LoadPlan {
    /// The valid numbers of connections.
    public static let connectionLimits = 0...1_000_000
    /// The valid numbers of messages in flight on a connection.
    public static let pipelineLimits = 1...4096
    /// The limit over all connections.
    public static let mostBytesUnderWay = 2 * 1024 * 1024 * 1024
    static let longestSpan: UInt64 = 7 * 86_400 * 1_000_000_000
    static let shortestDatagram = 8
    static let longestDatagram = 65_507

    /// The number of event loops, and so of shards.
    public static let loopCount = DispatchRuntime.snapshot().loops.count { !$0.isBackground }

    /// Throws if a value or combination is invalid. ``LoadRun`` calls it, too.
    public func check() throws {
        guard !targets.isEmpty else {
            throw LoadFailure.usage("name a target, as in tcp://127.0.0.1:7007")
        }
        try Self.check("--connections", connections, Self.connectionLimits, "connections")
        try Self.check("--pipeline", pipeline, Self.pipelineLimits, "messages in flight")
        try Self.check("--idle", idleConnections, Self.connectionLimits, "connections")
        try Self.check(
            "--hostile-connections", hostileConnections, Self.connectionLimits, "connections")
        guard connections > 0 || idleConnections > 0 || !hostile.isEmpty else {
            throw LoadFailure.usage(
                "--connections 0: must be 1 to 1000000 connections, unless --idle or --hostile is "
                    + "used")
        }
        let bytes = max(1, connections) * pipeline * sizes.largest
        guard bytes <= Self.mostBytesUnderWay else {
            throw LoadFailure.usage(
                "--connections x --pipeline x --size is \(bytes) bytes of memory: more than "
                    + "\(Self.mostBytesUnderWay); make one of them smaller")
        }
        guard durationNanoseconds > 0, stallNanoseconds > 0, intervalNanoseconds > 0 else {
            throw LoadFailure.usage("--duration and --stall-timeout must be longer than 0 s")
        }
        for (name, span) in [
            ("--warmup", warmupNanoseconds), ("--duration", durationNanoseconds),
            ("--stall-timeout", stallNanoseconds), ("the interval", intervalNanoseconds),
        ] where span > Self.longestSpan {
            throw LoadFailure.usage("\(name) \(Format.span(span)): must be at most 7 days")
        }
        for case (let name, let count?) in [
            ("--requests", requests), ("--churn", messagesPerConnection),
        ] where count < 1 {
            throw LoadFailure.usage("\(name) \(count): must be 1 message or more")
        }
        if let connectsPerSecond, !(connectsPerSecond > 0 && connectsPerSecond.isFinite) {
            throw LoadFailure.usage("--connect-rate: must be above 0 connections per second")
        }
        try checkSchedule()
        try checkProtocols()
    }

    private func checkSchedule() throws(LoadFailure) {
        guard let rates = schedule.rates else { return }
        for rate in [rates.first, rates.last] where !(rate > 0 && rate <= 100_000_000) {
            throw LoadFailure.usage(
                "--rate \(rate): must be above 0, and at most 100000000 messages per second")
        }
    }

    private func checkProtocols() throws(LoadFailure) {
        for target in targets where target.scheme == .udp {
            guard sizes.smallest >= Self.shortestDatagram, sizes.largest <= Self.longestDatagram
            else {
                throw LoadFailure.usage(
                    "--size \(sizes): a datagram of \(target) must have \(Self.shortestDatagram) "
                        + "(its number) to \(Self.longestDatagram) bytes")
            }
            guard messagesPerConnection == nil, idleConnections == 0, hostile.isEmpty else {
                throw LoadFailure.usage(
                    "\(target): --churn, --idle and --hostile are for connections")
            }
        }
        if let line {
            guard !line.utf8.contains(UInt8(ascii: "\n")) else {
                throw LoadFailure.usage("--lines: give one line, without its end")
            }
            if let target = targets.first(where: { !$0.isPlainStream }) {
                throw LoadFailure.usage("\(target): --lines is for tcp://, tls:// and unix:")
            }
        }
        #if !TLS
        if let target = targets.first(where: \.isSecured) {
            throw LoadFailure.usage(
                "\(target): TLS is not built in; build with 'swift build --traits TLS'")
        }
        #endif
        if http.body == .echo, http.method != .post, targets.contains(where: \.isHTTP) {
            throw LoadFailure.usage(
                "--http-body echo compares with what was posted: add --http-method post")
        }
        for header in http.headers
        where !header.contains(":") || header.contains(where: \.isNewline) {
            throw LoadFailure.usage("--header '\(header)': write it as NAME: VALUE")
        }
    }

    private static func check(
        _ name: String, _ value: Int, _ range: ClosedRange<Int>, _ unit: String
    ) throws(LoadFailure) {
        guard range.contains(value) else {
            throw LoadFailure.usage(
                "\(name) \(value): must be \(range.lowerBound) to \(range.upperBound) \(unit)")
        }
    }
}
