/// Why a run cannot start or has no report: the cause, then the remedy.
public struct LoadFailure: Error, CustomStringConvertible, Sendable {
    public enum Kind: Sendable, Hashable {
        /// The plan contains an invalid value or combination.
        case usage
        /// The target or this machine prevents the run.
        case failed
    }

    public let kind: Kind
    public let description: String

    public init(_ description: String, kind: Kind = .failed) {
        self.kind = kind
        self.description = description
    }

    static func usage(_ description: String) -> LoadFailure {
        LoadFailure(description, kind: .usage)
    }
}
