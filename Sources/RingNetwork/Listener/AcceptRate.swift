internal import LinuxPlatform

/// How fast connections are accepted: a token bucket.
public struct AcceptRate: Sendable, Hashable {
    /// In the long run.
    public let connectionsPerSecond: Double
    /// At once, after a time without any.
    public let burst: Int

    /// - Parameters:
    ///   - connectionsPerSecond: above 0.
    ///   - burst: at least 1.
    public init(connectionsPerSecond: Double, burst: Int) {
        guard connectionsPerSecond > 0, connectionsPerSecond.isFinite, burst > 0 else {
            fatalMisuse(
                "an AcceptRate of \(connectionsPerSecond) connections a second and a burst of "
                    + "\(burst) accepts nothing")
        }
        self.connectionsPerSecond = connectionsPerSecond
        self.burst = burst
    }
}
