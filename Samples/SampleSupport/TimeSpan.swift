internal import ArgumentParser
package import RingDispatch

/// A time span in the notation `500ms`, `10s`, `2m`, `1h`.
package struct TimeSpan: Sendable, Equatable {
    package let nanoseconds: UInt64

    private static let units: [(suffix: String, nanoseconds: UInt64)] = [
        ("ms", 1_000_000), ("s", 1_000_000_000), ("m", 60_000_000_000), ("h", 3_600_000_000_000),
    ]
    /// One week: enough for a soak test, and far from an overflow.
    private static let longestNanoseconds: UInt64 = 7 * 24 * 3_600_000_000_000

    package init(seconds: UInt64) {
        nanoseconds = seconds * 1_000_000_000
    }

    package init(milliseconds: UInt64) {
        nanoseconds = milliseconds * 1_000_000
    }

    /// Nil unless the text is a whole number with a unit.
    package init?(_ text: String) {
        let digits = text.prefix { ("0"..."9").contains($0) }
        let suffix = text.dropFirst(digits.count)
        guard let number = UInt64(digits),
            let unit = Self.units.first(where: { $0.suffix == suffix })
        else { return nil }
        let (product, overflow) = number.multipliedReportingOverflow(by: unit.nanoseconds)
        guard !overflow, product <= Self.longestNanoseconds else { return nil }
        nanoseconds = product
    }

    package var seconds: Double { Double(nanoseconds) / 1e9 }

    package var interval: DispatchTimeInterval { .nanoseconds(Int(nanoseconds)) }
}

extension TimeSpan: ExpressibleByArgument, CustomStringConvertible {
    package init?(argument: String) { self.init(argument) }

    /// In the largest unit that gives a whole number.
    package var description: String {
        let unit = Self.units.last { nanoseconds % $0.nanoseconds == 0 && nanoseconds > 0 }
        guard let unit else { return "0s" }
        return "\(nanoseconds / unit.nanoseconds)\(unit.suffix)"
    }

    package var defaultValueDescription: String { description }
}
