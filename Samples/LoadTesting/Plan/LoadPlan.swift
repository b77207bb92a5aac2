internal import RingDispatch
public import RingNetwork

#if TLS
public import RingTLS
#endif

/// The parameters of a run: the targets, the load, the duration. Times are at most seven days.
public struct LoadPlan: Sendable {
    /// Connections are distributed over the targets in turn.
    public var targets: [LoadTarget]
    /// Connections that carry the load, of all targets together.
    public var connections = 64
    /// Messages in flight on each connection.
    public var pipeline = 1
    /// The sizes of messages; 64 bytes by default.
    public var sizes: MessageSizes
    /// When messages are due; by default when an answer arrives.
    public var schedule = Schedule.closed

    /// Time before the measurement. Answers are checked, but not measured.
    public var warmupNanoseconds: UInt64 = 1_000_000_000
    /// The measured time, without the warm-up.
    public var durationNanoseconds: UInt64 = 10_000_000_000
    /// The run ends early after this many messages; nil: no limit.
    public var requests: Int?
    /// A message without an answer for this long counts as failed.
    public var stallNanoseconds: UInt64 = 5_000_000_000
    /// The interval of progress lines and of the report's time series.
    public var intervalNanoseconds: UInt64 = 1_000_000_000

    /// Connections started per second, the idle ones after those of the load; nil: as fast as they
    /// are accepted.
    public var connectsPerSecond: Double?
    /// A connection is closed and replaced after this many messages; nil: never.
    public var messagesPerConnection: Int?
    /// Additional connections that stay idle.
    public var idleConnections = 0
    /// Local addresses of the connections, in turn. Each address has its own range of ports.
    public var sources: [IPAddress] = []

    /// A line that is sent to `tcp:`, `tls:` and `unix:` targets, instead of messages to echo. Each
    /// must be answered with one line.
    public var line: String?
    /// The requests, for HTTP targets.
    public var http = HTTPPlan()
    /// The commands, for Redis targets.
    public var resp = RESPPlan()

    /// Ill-behaved clients besides the load.
    public var hostile: [HostileProfile] = []
    /// How many connections of each hostile profile.
    public var hostileConnections = 8

    /// The seed of the messages' bytes, the sizes and the random intervals.
    public var seed: UInt64 = 1
    /// Queues that share the connections; nil: one for each event loop.
    public var shards: Int?
    /// A server process on this machine whose CPU time is measured, too.
    public var observedProcess: Int32?

    #if TLS
    /// How `tls://` and `https://` servers are verified.
    public var tls = TLSConfiguration.client()
    /// The name that the certificate must contain; nil: the target's host.
    public var tlsServerName: String?
    #endif

    /// A plan with the defaults of ringload: 64 connections, 10 s.
    /// - Throws: ``LoadFailure``, with the cause and the remedy.
    public init(_ targets: [LoadTarget]) throws {
        self.targets = targets
        sizes = try MessageSizes(bytes: 64)
    }

    var isOpenLoop: Bool { schedule != .closed }

    var shardCount: Int { max(1, min(shards ?? LoadPlan.loopCount, max(1, connections))) }

    /// The messages that connections send when all together send `count`.
    func messages(of count: Int, onConnections own: Range<Int>) -> Int {
        let (each, rest) = count.quotientAndRemainder(dividingBy: connections)
        return each * own.count + rest * own.upperBound / connections
            - rest * own.lowerBound / connections
    }

    func share(of count: Int, shard: Int) -> Range<Int> {
        count * shard / shardCount..<count * (shard + 1) / shardCount
    }
}
