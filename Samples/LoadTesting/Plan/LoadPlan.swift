internal import RingDispatch
public import RingNetwork

#if TLS
public import RingTLS
#endif

/// The parameters of a run: the targets, the load, the duration.
public struct LoadPlan: Sendable {
    /// Connections go to the targets in turn.
    public var targets: [LoadTarget]
    public var connections = 64
    /// Messages that a connection sends before it waits for an answer.
    public var pipeline = 1
    public var sizes: MessageSizes
    public var schedule = Schedule.closed

    /// Time before the measurement: everything is checked, nothing is measured.
    public var warmupNanoseconds: UInt64 = 1_000_000_000
    public var durationNanoseconds: UInt64 = 10_000_000_000
    /// The run ends after this many messages, if that is sooner; nil: no limit.
    public var requests: Int?
    /// A message without an answer for this long has failed.
    public var stallNanoseconds: UInt64 = 5_000_000_000
    /// The interval of progress reports and of the report's figures.
    public var intervalNanoseconds: UInt64 = 1_000_000_000

    /// Connections begun each second; nil: as fast as they are accepted.
    public var connectsPerSecond: Double?
    /// A connection is closed and replaced after this many messages; nil: it is kept.
    public var messagesPerConnection: Int?
    /// Connections that are made and then stay idle.
    public var idleConnections = 0
    /// Addresses of this machine that connections come from, in turn: each has ports of its own.
    public var sources: [IPAddress] = []

    public var http = HTTPPlan()
    public var resp = RESPPlan()

    /// Ill-behaved clients beside the load.
    public var hostile: [HostileProfile] = []
    /// How many of each.
    public var hostileConnections = 8

    /// The seed of the messages' bytes, the sizes and the random intervals.
    public var seed: UInt64 = 1
    /// Queues that share the connections; nil: one for each event loop.
    public var shards: Int?
    /// The server's process on this machine, whose CPU time is measured too.
    public var observedProcess: Int32?

    #if TLS
    /// How servers of `tls://` and `https://` are verified.
    public var tls = TLSConfiguration.client()
    /// The name that a certificate has to have; nil: the target's host.
    public var tlsServerName: String?
    #endif

    public init(_ targets: [LoadTarget]) throws(LoadFailure) {
        self.targets = targets
        sizes = try MessageSizes(bytes: 64)
    }

    var isOpenLoop: Bool { schedule != .closed }

    var shardCount: Int { max(1, min(shards ?? LoadPlan.loopCount, max(1, connections))) }

    /// The connections of one shard.
    func connections(ofShard shard: Int) -> Range<Int> {
        connections * shard / shardCount..<connections * (shard + 1) / shardCount
    }

    /// A shard's share of `count`.
    func share(of count: Int, shard: Int) -> Int {
        count * (shard + 1) / shardCount - count * shard / shardCount
    }
}
