internal import LinuxPlatform

/// The rate at which connections are accepted: a token bucket.
public struct AcceptRate: Sendable, Hashable {
    /// The long-term average.
    public let connectionsPerSecond: Double
    /// Most connections accepted at once after an idle time.
    public let burst: Int

    /// - Parameters:
    ///   - connectionsPerSecond: above 0 and finite; anything else ends the process.
    ///   - burst: at least 1; less ends the process.
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
