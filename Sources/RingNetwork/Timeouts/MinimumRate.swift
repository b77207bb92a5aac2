public import RingDispatch

/// The least rate that a peer must keep. A window below it resets the connection. Spans that are
/// negative, and a window of 0, end the process, like those of ``ConnectionTimeouts``.
public struct MinimumRate: Sendable, Equatable {
    /// The least average in a window. 0 or less: no limit.
    public var bytesPerSecond: Int
    /// The time at the beginning during which any rate is accepted. 0: none; `.never`: no limit.
    public var grace = DispatchTimeInterval.seconds(5)
    /// The span over which the rate is averaged; windows do not overlap. `.never`: no limit.
    public var window = DispatchTimeInterval.seconds(5)

    /// A rate with 5 s of grace, in windows of 5 s.
    public init(bytesPerSecond: Int) { self.bytesPerSecond = bytesPerSecond }
}
