internal import Glibc
internal import Histogram

/// The report as a self-contained page: tables, and plots as SVG, for light and dark screens.
struct ReportPage {
    let report: LoadReport

    var html: String {
        let targets = report.plan.targets.map(\.description).joined(separator: ", ")
        let title = escaped("ringload: \(targets)")
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(title)</title>
            <style>
            \(ReportPage.style)
            </style>
            </head>
            <body>
            <header>
            <h1>\(title)</h1>
            <p>\(escaped(report.loadText))</p>
            </header>
            \(tiles)
            \(warnings)
            \(plots)
            \(table("Report", reportRows))
            \(table("Run", runRows))
            <footer>Latencies count from when a message was due\(closing).</footer>
            </body>
            </html>

            """
    }

    private var closing: String {
        report.plan.isOpenLoop ? "" : ", which in a closed loop is when it was sent"
    }

    // MARK: figures

    private var tiles: String {
        let measurement = report.measurement
        let latencies = measurement.latencies
        let isWrong = report.errors.total > 0
        return """
            <section class="tiles">
            \(tile("messages/s", Format.grouped(Int(measurement.messagesPerSecond))))
            \(tile("p50", Format.latency(latencies.valueAtPercentile(50))))
            \(tile("p99", Format.latency(latencies.valueAtPercentile(99))))
            \(tile("max", Format.latency(latencies.max)))
            \(tile("errors", Format.grouped(report.errors.total), isBad: isWrong))
            \(tile("client CPU", Format.decimal(report.processorPercent, places: 0) + " %"))
            </section>
            """
    }

    private func tile(_ name: String, _ value: String, isBad: Bool = false) -> String {
        "<div class=\"tile\(isBad ? " bad" : "")\"><b>\(escaped(value))</b>"
            + "<span>\(name)</span></div>"
    }

    private var warnings: String {
        var texts = report.warnings
        if report.errors.total > 0 { texts.insert("errors: \(report.errors.text)", at: 0) }
        return texts.map { "<p class=\"warning\">\(escaped($0))</p>" }.joined(separator: "\n")
    }

    private var reportRows: [(String, String)] {
        report.text.split(separator: "\n").map { line in
            let name = line.prefix(12).split(separator: " ").joined(separator: " ")
            return (name, String(line.dropFirst(12)))
        }
    }

    private var runRows: [(String, String)] {
        let run = report.environment
        return [
            ("date", run.date), ("host", run.host), ("kernel", run.kernel),
            ("CPUs", run.processors), ("ringload", run.program), ("command", run.commandLine),
            ("client back end", run.clientBackend),
            ("server back end", run.serverBackend ?? "not known"),
        ]
    }

    private func table(_ title: String, _ rows: [(String, String)]) -> String {
        let lines = rows.map { name, text in
            "<tr><th>\(escaped(name))</th><td>\(escaped(text))</td></tr>"
        }
        return "<section><h2>\(title)</h2><table>\n\(lines.joined(separator: "\n"))\n"
            + "</table></section>"
    }

    // MARK: plots

    private var plots: String {
        var plots = [percentilePlot]
        let intervals = report.intervals.filter { !$0.isWarmingUp }
        if intervals.count > 1 {
            plots.append(latencyPlot(intervals))
            plots.append(countPlot("Messages each second", intervals) { $0.messagesPerSecond })
            if report.errors.total > 0 {
                plots.append(countPlot("Errors so far", intervals) { Double($0.errors) })
            }
        }
        let sections = plots.map { "<section>\($0.svg)</section>" }.joined(separator: "\n")
        return "<div class=\"plots\">\n\(sections)\n</div>"
    }

    private var percentilePlot: Plot {
        var series = [Plot.Series(name: "latency", points: curve(report.measurement.latencies))]
        if report.plan.isOpenLoop {
            let times = curve(report.measurement.open.service)
            series.append(Plot.Series(name: "service time", points: times))
        }
        let ticks: [(Double, String)] = [
            (0, "0"), (1, "90"), (2, "99"), (3, "99.9"), (4, "99.99"), (5, "99.999"),
            (6, "99.9999"),
        ]
        let last = series.flatMap(\.points).reduce(1) { max($0, $1.x) }
        return Plot(
            title: "Latency by percentile", series: series,
            xTicks: ticks.filter { $0.0 <= last + 0.5 }, xName: "percentile",
            yLabel: { Format.latency(UInt64($0)) }, isLogarithmic: true)
    }

    /// The x axis counts nines: each tenfold step towards 100 % has the same width.
    private func curve(_ latencies: LatencyHistogram) -> [Plot.Point] {
        guard latencies.totalCount > 0 else { return [] }
        var points: [Plot.Point] = []
        for step in latencies.percentiles(ticksPerHalfDistance: 8) {
            let rest = 1 - step.percentileLevelIteratedTo / 100
            guard rest > 0 else { continue }
            points.append(Plot.Point(x: -log10(rest), y: Double(step.value)))
        }
        return points
    }

    /// Counted from the end of the warm-up.
    private func seconds(_ interval: LoadInterval) -> Double {
        interval.seconds - (report.intervals.last(where: \.isWarmingUp)?.seconds ?? 0)
    }

    private func latencyPlot(_ intervals: [LoadInterval]) -> Plot {
        let figures: [(String, (LoadInterval) -> UInt64)] = [
            ("p50", \.p50Nanoseconds), ("p90", \.p90Nanoseconds), ("p99", \.p99Nanoseconds),
            ("max", \.maxNanoseconds),
        ]
        let series = figures.map { name, figure in
            Plot.Series(
                name: name,
                points: intervals.filter { $0.messages > 0 }.map {
                    Plot.Point(x: seconds($0), y: Double(figure($0)))
                })
        }
        return Plot(
            title: "Latency over time", series: series, xTicks: timeTicks(intervals),
            xName: "seconds of the measured time", yLabel: { Format.latency(UInt64($0)) },
            isLogarithmic: true)
    }

    private func countPlot(
        _ title: String, _ intervals: [LoadInterval], _ count: (LoadInterval) -> Double
    ) -> Plot {
        let points = intervals.map { Plot.Point(x: seconds($0), y: count($0)) }
        return Plot(
            title: title, series: [Plot.Series(name: title, points: points)],
            xTicks: timeTicks(intervals), xName: "seconds of the measured time",
            yLabel: { Format.grouped(Int($0)) }, isLogarithmic: false)
    }

    private func timeTicks(_ intervals: [LoadInterval]) -> [(Double, String)] {
        let last = intervals.last.map(seconds) ?? 1
        let step = Plot.roundStep(last / 6)
        return Array(stride(from: 0, through: last, by: step)).map {
            ($0, Format.decimal($0, places: step < 1 ? 1 : 0))
        }
    }

    private func escaped(_ text: String) -> String {
        [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")]
            .reduce(text) { $0.replacing($1.0, with: $1.1) }
    }
}

extension LoadReport {
    /// The report as a self-contained HTML page.
    public var html: String { ReportPage(report: self).html }
}
