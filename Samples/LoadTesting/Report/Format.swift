/// Formats numbers for people.
public enum Format {
    /// `1,234,567`.
    public static func grouped(_ number: Int) -> String {
        let digits = Array(String(number.magnitude))
        var text = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return text
    }

    /// `3.14`, rounded.
    public static func decimal(_ number: Double, places: Int) -> String {
        let scale = (0..<places).reduce(1.0) { product, _ in product * 10 }
        guard number.isFinite, abs(number) * scale < 9e15 else { return "\(number)" }
        let scaled = Int((abs(number) * scale).rounded())
        let sign = number < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return "\(sign)\(scaled)" }
        let fraction = String(scaled % Int(scale))
        let zeros = String(repeating: "0", count: places - fraction.count)
        return "\(sign)\(scaled / Int(scale)).\(zeros)\(fraction)"
    }

    /// `812 ns`, `25.3 µs`, `1.23 ms`, `1.20 s`: about three digits.
    public static func latency(_ nanoseconds: UInt64) -> String {
        let units: [(limit: UInt64, divisor: Double, name: String)] = [
            (1_000, 1, "ns"), (1_000_000, 1e3, "µs"), (1_000_000_000, 1e6, "ms"),
        ]
        let unit = units.first { nanoseconds < $0.limit } ?? (.max, 1e9, "s")
        let value = Double(nanoseconds) / unit.divisor
        let places = unit.divisor == 1 || value >= 100 ? 0 : value >= 10 ? 1 : 2
        return "\(decimal(value, places: places)) \(unit.name)"
    }

    /// `500ms`, `10s`, `2m`: in the largest unit that gives a whole number.
    public static func span(_ nanoseconds: UInt64) -> String {
        let units: [(nanoseconds: UInt64, suffix: String)] = [
            (3_600_000_000_000, "h"), (60_000_000_000, "m"), (1_000_000_000, "s"),
            (1_000_000, "ms"),
        ]
        guard let unit = units.first(where: { nanoseconds % $0.nanoseconds == 0 }), nanoseconds > 0
        else { return nanoseconds == 0 ? "0s" : "\(nanoseconds)ns" }
        return "\(nanoseconds / unit.nanoseconds)\(unit.suffix)"
    }

    /// Pads the text with spaces on the left.
    public static func padded(_ text: String, to width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
