import ArgumentParser
import SampleSupport

/// The value of --window: a time span, or a plain 0.
struct Window: ExpressibleByArgument, CustomStringConvertible {
    let span: TimeSpan

    static let standard = Window(span: TimeSpan(milliseconds: 50))

    private init(span: TimeSpan) { self.span = span }

    init?(argument: String) {
        guard let span = TimeSpan(argument == "0" ? "0s" : argument) else { return nil }
        self.span = span
    }

    var description: String { span.description }

    var defaultValueDescription: String { description }
}
