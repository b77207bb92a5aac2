/// Why there is no load, or no report: the cause, then the remedy.
public struct LoadFailure: Error, CustomStringConvertible, Sendable {
    public enum Kind: Sendable, Hashable {
        /// The plan asks for what cannot be, or not together.
        case usage
        /// The target, or this machine, does not play along.
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
