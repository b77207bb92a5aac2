public import Histogram

/// Times in nanoseconds, with three significant digits.
public typealias LatencyHistogram = Histogram<UInt64>

extension LatencyHistogram {
    /// One minute. Slower answers are recorded as one minute.
    static let slowestNanoseconds: UInt64 = 60_000_000_000

    static func forLatencies() -> LatencyHistogram {
        LatencyHistogram(
            lowestDiscernibleValue: 64, highestTrackableValue: slowestNanoseconds,
            numberOfSignificantValueDigits: .three)
    }

    @inline(__always)
    mutating func recordLatency(_ nanoseconds: UInt64) {
        record(Swift.min(nanoseconds, Self.slowestNanoseconds))
    }

    /// 0 when nothing was recorded.
    var meanOrZero: Double { totalCount > 0 ? mean : 0 }
}
