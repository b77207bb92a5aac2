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
    private var turns: Turns
    private let isPoisson: Bool
    private var generator: SeededGenerator

    /// - Parameters:
    ///   - shard: the index of the shard whose share it is.
    ///   - start: when the first message is due, and the warm-up begins.
    init(_ plan: LoadPlan, shard: Int, start: UInt64, seed: UInt64) {
        let rates = plan.schedule.rates ?? (1, 1)
        course = Course(
            first: rates.first, last: rates.last, start: Double(plan.warmupNanoseconds) / 1e9,
            duration: Double(plan.durationNanoseconds) / 1e9)
        isPoisson = plan.schedule.isPoisson
        turns = Turns(plan, shard: shard)
        generator = SeededGenerator(state: seed)
        origin = start
        number = isPoisson ? 0 : turns.next()
        updateTime()
    }

    mutating func advance() {
        number = isPoisson ? number + turns.distance * generator.nextExponential() : turns.next()
        updateTime()
    }

    /// How many messages are due in a span of time, on average.
    func expected(from start: UInt64, to end: UInt64) -> Int {
        guard start < end else { return 0 }
        let counts = [start, end].map { course.messages(until: Double($0 - origin) / 1e9) }
        return Int((counts[1] - counts[0]) / turns.distance)
    }

    private mutating func updateTime() {
        // At most some decades: the load has ended by then.
        nextNanoseconds = origin + UInt64(min(course.seconds(until: number) * 1e9, 1e18))
    }
}

/// The numbers of a shard's messages. In each round of messages, every connection has one: the
/// shards take turns, and at the end of the round, those that have a connection more than others.
private struct Turns {
    private let shard: Int
    private let shards: Int
    private let own: Range<Int>
    private let connections: Int
    private var turn = 0
    private var roundStart = 0.0

    init(_ plan: LoadPlan, shard: Int) {
        self.shard = shard
        shards = plan.shardCount
        connections = plan.connections
        own = plan.share(of: connections, shard: shard)
    }

    /// The mean distance between two numbers.
    var distance: Double { Double(connections) / Double(own.count) }

    mutating func next() -> Double {
        if turn == own.count {
            turn = 0
            roundStart += Double(connections)
        }
        defer { turn += 1 }
        let full = connections / shards
        guard turn == full else { return roundStart + Double(turn * shards + shard) }
        // Earlier shards that have a connection more come first.
        return roundStart + Double(full * shards + own.lowerBound - shard * full)
    }
}

/// A rate over time: the first rate, then a linear change, then the last rate.
private struct Course {
    let first: Double
    let last: Double
    /// When the change begins, and how long it takes, in seconds.
    let start: Double
    let duration: Double

    /// How many messages are due until a time: the rate's integral.
    func messages(until seconds: Double) -> Double {
        let inRamp = min(max(0, seconds - start), duration)
        return first * min(seconds, start)
            + inRamp * (first + (last - first) * inRamp / duration / 2)
            + last * max(0, seconds - start - duration)
    }

    /// The time when a number of messages has become due: the inverse.
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
