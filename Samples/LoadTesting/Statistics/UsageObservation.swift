/// The CPU time that client and server used during the measurement.
public struct UsageObservation: Sendable {
    /// Of the client, in user mode. getrusage(2).
    public internal(set) var userSeconds = 0.0
    /// Of the client, in the kernel. getrusage(2).
    public private(set) var systemSeconds = 0.0
    /// The CPU time of the observed process; nil without one, or if it has ended.
    public private(set) var serverSeconds: Double?
    /// Of the observed process; nil without one. May be negative, since the counts of threads that
    /// have ended are lost.
    public private(set) var serverContextSwitches: Int?

    /// Of the client, in both modes.
    public var totalSeconds: Double { userSeconds + systemSeconds }

    private var own = ProcessUsage()
    private var other: ProcessUsage?

    init() {}

    mutating func begin(observing process: Int32?) {
        own = .own()
        other = process.flatMap { .of(process: $0) }
    }

    mutating func end(observing process: Int32?) {
        let now = ProcessUsage.own()
        userSeconds = Double(now.userNanoseconds - own.userNanoseconds) / 1e9
        systemSeconds = Double(now.systemNanoseconds - own.systemNanoseconds) / 1e9
        guard let other, let now = process.flatMap({ ProcessUsage.of(process: $0) }) else { return }
        serverSeconds = Double(now.processorNanoseconds &- other.processorNanoseconds) / 1e9
        serverContextSwitches = Int(now.contextSwitches) - Int(other.contextSwitches)
    }
}
