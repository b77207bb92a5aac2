import ArgumentParser

/// What the server does with what it gets.
enum Mode: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Sends it back. RFC 862.
    case echo
    /// Throws it away. RFC 863.
    case discard
    /// Throws it away, and sends characters without end. RFC 864.
    case chargen
}
