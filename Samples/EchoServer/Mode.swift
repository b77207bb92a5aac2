import ArgumentParser

/// How the server treats received bytes.
enum Mode: String, ExpressibleByArgument, CaseIterable, Sendable {
    /// Sends them back. RFC 862.
    case echo
    /// Discards them. RFC 863.
    case discard
    /// Discards them and sends characters without end. RFC 864.
    case chargen
}
