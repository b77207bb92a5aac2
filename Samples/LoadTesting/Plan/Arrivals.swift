internal import Glibc

/// The times when messages are due: a shard's share of a schedule.
///
/// Late messages need no memory: the next time stays the same until `advance` is called.
struct Arrivals {
    /// When the next message is due, on CLOCK_MONOTONIC.
    private(set) var nextNanoseconds: UInt64
    /// The same relative to `origin`: exact to the nanosecond for months.
    private var next: Double
    private let origin: UInt64
    private let interval: Double
    private let isPoisson: Bool
    private var generator: SeededGenerator

    /// - Parameters:
    ///   - share: the index of this share.
    ///   - start: when the first message is due.
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
