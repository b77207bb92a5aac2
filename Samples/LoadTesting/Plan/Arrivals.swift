internal import Glibc

/// The times at which messages are due, one after the other: a shard's share of a schedule.
///
/// Late messages take no memory: the next time stays until `advance` is called.
struct Arrivals {
    /// On CLOCK_MONOTONIC.
    private(set) var nextNanoseconds: UInt64
    /// From `origin`: exact to the nanosecond for months.
    private var next: Double
    private let origin: UInt64
    private let interval: Double
    private let isPoisson: Bool
    private var generator: SeededGenerator

    /// - Parameters:
    ///   - share: the number of this share.
    ///   - start: the time when the first message is due.
    init(_ schedule: Schedule, share: Int, of shares: Int, start: UInt64, seed: UInt64) {
        let rate = schedule.perSecond ?? 1
        interval = 1e9 * Double(shares) / rate
        generator = SeededGenerator(state: seed &+ UInt64(share))
        if case .poisson = schedule { isPoisson = true } else { isPoisson = false }
        origin = start
        next = isPoisson ? 0 : interval * Double(share) / Double(shares)
        nextNanoseconds = start + UInt64(next)
    }

    mutating func advance() {
        next += isPoisson ? interval * generator.nextExponential() : interval
        nextNanoseconds = origin + UInt64(next)
    }
}

extension SeededGenerator {
    /// Exponentially distributed, 1 on average.
    fileprivate mutating func nextExponential() -> Double {
        -log(nextFraction())
    }
}
