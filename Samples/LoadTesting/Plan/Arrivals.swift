internal import Glibc

/// The times when messages are due: a shard's share of a schedule.
///
/// Late messages need no memory: the next time stays the same until `advance` is called.
struct Arrivals {
    /// When the next message is due, on CLOCK_MONOTONIC.
    private(set) var nextNanoseconds: UInt64 = 0
    /// The next message's number among those of all shares: exact for months.
    private var number: Double
    private let origin: UInt64
    private let course: Course
    private let shares: Double
    private let isPoisson: Bool
    private var generator: SeededGenerator

    /// - Parameters:
    ///   - share: the index of this share.
    ///   - start: when the first message is due, and the warm-up begins.
    ///   - warmup: how long the first rate lasts before the measured time, in nanoseconds.
    ///   - duration: the measured time, in nanoseconds.
    init(
        _ schedule: Schedule, share: Int, of shares: Int, start: UInt64, seed: UInt64,
        warmup: UInt64 = 0, duration: UInt64 = 1_000_000_000
    ) {
        let rates = schedule.rates ?? (1, 1)
        course = Course(
            first: rates.first, last: rates.last, start: Double(warmup) / 1e9,
            duration: Double(duration) / 1e9)
        isPoisson = schedule.isPoisson
        self.shares = Double(shares)
        generator = SeededGenerator(state: seed &+ UInt64(share))
        origin = start
        number = isPoisson ? 0 : Double(share)
        updateTime()
    }

    mutating func advance() {
        number += isPoisson ? shares * generator.nextExponential() : shares
        updateTime()
    }

    private mutating func updateTime() {
        // At most some decades: the load has ended by then.
        nextNanoseconds = origin + UInt64(min(course.seconds(until: number) * 1e9, 1e18))
    }
}

/// A rate over time: the first rate, then a linear change, then the last rate.
private struct Course {
    let first: Double
    let last: Double
    /// When the change begins, and how long it takes, in seconds.
    let start: Double
    let duration: Double

    /// The time when a number of messages has become due: the inverse of the rate's integral.
    func seconds(until messages: Double) -> Double {
        guard first != last, messages > first * start else { return messages / first }
        let ramped = messages - first * start
        let inRamp = (first + last) / 2 * duration
        guard ramped < inRamp else { return start + duration + (ramped - inRamp) / last }
        // Solves ramped = first * t + slope / 2 * t², in the form that loses no digits.
        let slope = (last - first) / duration
        let root = max(0, first * first + 2 * slope * ramped).squareRoot()
        return start + 2 * ramped / (first + root)
    }
}

extension SeededGenerator {
    /// Exponentially distributed, 1 on average.
    fileprivate mutating func nextExponential() -> Double {
        -log(nextFraction())
    }
}
