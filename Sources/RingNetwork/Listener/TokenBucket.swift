/// A token bucket: tokens arrive at a rate, and at most a burst of them is saved. Times are
/// nanoseconds of any monotonic clock.
struct TokenBucket {
    private let perSecond: Double
    private let capacity: Double
    private var tokens: Double
    private var last: UInt64

    init(_ rate: AcceptRate, now: UInt64) {
        perSecond = rate.connectionsPerSecond
        capacity = Double(rate.burst)
        tokens = capacity
        last = now
    }

    /// Takes a token. The count may become negative.
    mutating func take(now: UInt64) {
        fill(now)
        tokens -= 1
    }

    /// Nanoseconds until a token is available; 0: one is available now. At high rates the wait
    /// covers several tokens, to limit the wake-ups.
    mutating func wait(now: UInt64) -> UInt64 {
        fill(now)
        if tokens >= 1 { return 0 }
        let wanted = max(1, min(capacity, perSecond / TokenBucket.wakesPerSecond))
        return UInt64(min(((wanted - tokens) / perSecond * 1e9).rounded(.up), 1e18))
    }

    private static let wakesPerSecond = 1000.0

    private mutating func fill(_ now: UInt64) {
        guard now > last else { return }
        tokens = min(capacity, tokens + Double(now - last) / 1e9 * perSecond)
        last = now
    }
}
