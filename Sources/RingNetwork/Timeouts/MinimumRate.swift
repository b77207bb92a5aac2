public import RingDispatch

/// The least rate that a peer must keep. A window below it resets the connection.
public struct MinimumRate: Sendable, Equatable {
    /// The least average in a window.
    public var bytesPerSecond: Int
    /// The time at the beginning during which any rate is accepted.
    public var grace = DispatchTimeInterval.seconds(5)
    /// The span over which the rate is averaged; windows do not overlap.
    public var window = DispatchTimeInterval.seconds(5)

    /// A rate with 5 s of grace, in windows of 5 s.
    public init(bytesPerSecond: Int) { self.bytesPerSecond = bytesPerSecond }
}
