/// Gives out tokens at a rate: up to a burst of them is saved up. Times are nanoseconds of any
/// clock that does not go back.
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

    /// Takes a token; it may owe one, which the next have to wait for.
    mutating func take(now: UInt64) {
        fill(now)
        tokens -= 1
    }

    /// Nanoseconds until there is a token, and a few more where the rate is high, so that nobody is
    /// woken for each; 0: there is one.
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
