/// Why a run cannot start or has no report: the cause, then the remedy.
public struct LoadFailure: Error, CustomStringConvertible, Sendable {
    /// What has to change: the plan, or something else.
    public enum Kind: Sendable, Hashable {
        /// The plan contains an invalid value or combination.
        case usage
        /// The target or this machine prevents the run.
        case failed
    }

    /// For programs; `description` is for people.
    public let kind: Kind
    /// The cause and the remedy, in one line.
    public let description: String

    /// Creates a failure, for a client that checks options of its own.
    public init(_ description: String, kind: Kind = .failed) {
        self.kind = kind
        self.description = description
    }

    static func usage(_ description: String) -> LoadFailure {
        LoadFailure(description, kind: .usage)
    }
}
