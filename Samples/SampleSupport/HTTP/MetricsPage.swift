/// Metrics in Prometheus's text format, version 0.0.4.
package struct MetricsPage {
    private var text = ""

    package init() {}

    package var response: HTTPResponse {
        HTTPResponse(.ok, text, contentType: "text/plain; version=0.0.4; charset=utf-8")
    }

    /// A number that never decreases.
    package mutating func counter(_ name: String, _ help: String, _ value: Int) {
        describe(name, help, "counter")
        text += "\(name) \(value)\n"
    }

    /// A counter with one number for each value of a label.
    package mutating func counter(
        _ name: String, _ help: String, label: String, _ values: [(String, Int)]
    ) {
        describe(name, help, "counter")
        for (value, number) in values { text += "\(name){\(label)=\"\(value)\"} \(number)\n" }
    }

    /// A number that rises and falls.
    package mutating func gauge(_ name: String, _ help: String, _ value: Int) {
        describe(name, help, "gauge")
        text += "\(name) \(value)\n"
    }

    private mutating func describe(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }
}
