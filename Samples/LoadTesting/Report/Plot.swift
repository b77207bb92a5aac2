internal import Glibc

/// A line chart as SVG.
struct Plot {
    struct Point {
        let x: Double
        let y: Double
    }

    struct Series {
        let name: String
        let points: [Point]
    }

    let title: String
    let series: [Series]
    let xTicks: [(Double, String)]
    let xName: String
    let yLabel: (Double) -> String
    let isLogarithmic: Bool

    private static let width = 440.0
    private static let height = 300.0
    private static let left = 70.0
    private static let right = 14.0
    private static let top = 56.0
    private static let bottom = 44.0
    /// More points than this cannot be distinguished.
    private static let mostPoints = 1200

    var svg: String {
        let ticks = yTicks
        let scale = Scale(
            lastX: max(points.reduce(0) { max($0, $1.x) }, xTicks.last?.0 ?? 0, 1e-9),
            low: ticks.first ?? 0, high: ticks.last ?? 1, isLogarithmic: isLogarithmic)
        var parts = [
            "<svg viewBox=\"0 0 \(Self.text(Self.width)) \(Self.text(Self.height))\" role=\"img\" "
                + "aria-label=\"\(title)\">",
            Self.text(title, x: 0, y: 18, anchor: "start", style: "title"),
        ]
        parts += legend + grid(scale, ticks)
        for (index, one) in series.enumerated() {
            let line = thinned(one.points).map { point in
                "\(Self.text(scale.x(point.x))),\(Self.text(scale.y(point.y)))"
            }
            parts.append(
                "<polyline class=\"curve s\(index % 4)\" "
                    + "points=\"\(line.joined(separator: " "))\"/>")
        }
        return (parts + ["</svg>"]).joined(separator: "\n")
    }

    private var points: [Point] { series.flatMap(\.points) }

    private func thinned(_ points: [Point]) -> [Point] {
        guard points.count > Self.mostPoints else { return points }
        let step = (points.count + Self.mostPoints - 1) / Self.mostPoints
        // Of the points that share a place, the highest is kept: peaks matter most.
        return stride(from: 0, to: points.count, by: step).compactMap { start in
            points[start..<min(points.count, start + step)].max { $0.y < $1.y }
        }
    }

    private var legend: [String] {
        guard series.count > 1 else { return [] }
        var x = 0.0
        return series.enumerated().flatMap { index, one -> [String] in
            let line =
                "<line class=\"curve s\(index % 4)\" x1=\"\(Self.text(x))\" y1=\"36\" "
                + "x2=\"\(Self.text(x + 18))\" y2=\"36\"/>"
            let text = Self.text(one.name, x: x + 24, y: 41, anchor: "start")
            x += Double(one.name.count) * 8 + 42
            return [line, text]
        }
    }

    private func grid(_ scale: Scale, _ ticks: [Double]) -> [String] {
        var parts: [String] = []
        for tick in ticks {
            let y = scale.y(tick)
            parts.append(Self.line(Self.left, y, Self.width - Self.right, y, "grid"))
            parts.append(Self.text(yLabel(tick), x: Self.left - 8, y: y + 4, anchor: "end"))
        }
        let floor = Self.height - Self.bottom
        parts.append(Self.line(Self.left, floor, Self.width - Self.right, floor, "axis"))
        for (value, label) in xTicks {
            let x = scale.x(value)
            parts.append(Self.line(x, floor, x, floor + 5, "axis"))
            // The last label would not fit in the margin.
            let isLast = x > Self.width - 28
            parts.append(
                Self.text(
                    label, x: isLast ? Self.width : x, y: floor + 19,
                    anchor: isLast ? "end" : "middle"))
        }
        parts.append(
            Self.text(xName, x: Self.width - Self.right, y: Self.height - 6, anchor: "end"))
        return parts
    }

    // MARK: scales

    private struct Scale {
        let lastX: Double
        let low: Double
        let high: Double
        let isLogarithmic: Bool

        func x(_ value: Double) -> Double {
            Plot.left + value / lastX * (Plot.width - Plot.left - Plot.right)
        }

        func y(_ value: Double) -> Double {
            let share =
                isLogarithmic
                ? (log10(max(value, low)) - log10(low))
                    / (log10(high) - log10(low))
                : (value - low) / (high - low)
            return Plot.height - Plot.bottom
                - min(1, max(0, share)) * (Plot.height - Plot.top - Plot.bottom)
        }
    }

    private var yTicks: [Double] {
        let values = points.map(\.y).filter { $0 > 0 }
        let highest = values.max() ?? 1
        guard isLogarithmic else {
            let step = Self.roundStep(highest / 5)
            let count = Int((highest / step).rounded(.up))
            return (0...max(1, count)).map { Double($0) * step }
        }
        let lowest = values.min() ?? 1
        var ticks: [Double] = []
        var power = pow(10, log10(lowest).rounded(.down))
        while true {
            for factor in [1.0, 2.0, 5.0] {
                let tick = power * factor
                if tick * 2.5 > lowest { ticks.append(tick) }
                if tick >= highest, ticks.count > 1 { return Self.few(ticks) }
            }
            power *= 10
        }
    }

    /// Thins the ticks to about ten, including the first and the last.
    private static func few(_ ticks: [Double]) -> [Double] {
        guard ticks.count > 10, let last = ticks.last else { return ticks }
        return ticks.dropLast().enumerated().filter { $0.offset % 3 == 0 }.map(\.element) + [last]
    }

    /// The smallest of 1, 2 or 5 times a power of ten that is not below the value.
    static func roundStep(_ value: Double) -> Double {
        guard value > 0 else { return 1 }
        let power = pow(10, log10(value).rounded(.down))
        return ([1.0, 2.0, 5.0, 10.0].first { $0 * power >= value * 0.999 } ?? 10) * power
    }

    // MARK: elements

    private static func text(_ number: Double) -> String { Format.decimal(number, places: 1) }

    private static func line(
        _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String
    ) -> String {
        "<line class=\"\(style)\" x1=\"\(text(x1))\" y1=\"\(text(y1))\" x2=\"\(text(x2))\" "
            + "y2=\"\(text(y2))\"/>"
    }

    private static func text(
        _ content: String, x: Double, y: Double, anchor: String, style: String = "label"
    ) -> String {
        "<text class=\"\(style)\" x=\"\(text(x))\" y=\"\(text(y))\" text-anchor=\"\(anchor)\">"
            + "\(content)</text>"
    }
}
