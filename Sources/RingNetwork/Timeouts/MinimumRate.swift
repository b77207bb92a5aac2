public import RingDispatch

/// The slowest that a peer may be. One that is slower for a whole window has its connection reset.
public struct MinimumRate: Sendable, Equatable {
    public var bytesPerSecond: Int
    /// For so long at the beginning any rate will do.
    public var grace = DispatchTimeInterval.seconds(5)
    /// The bytes of so long are taken together, one window after the other.
    public var window = DispatchTimeInterval.seconds(5)

    public init(bytesPerSecond: Int) { self.bytesPerSecond = bytesPerSecond }
}
