#if TLS
/// What went wrong, why, and what to do about it.
public struct TLSError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kinds of failure that a program may want to tell apart.
    public enum Kind: Sendable, Equatable {
        /// A file cannot be read.
        case file
        /// A certificate, or a list of them, cannot be used.
        case certificate
        /// A private key cannot be used.
        case privateKey
        /// A private key's password is missing or wrong.
        case password
        /// The private key belongs to another certificate.
        case keyMismatch
        /// Settings that OpenSSL refuses, or that contradict one another.
        case configuration
        /// The peer's certificate was not accepted.
        case verification(Verification)
        /// The peer gave up, and said why.
        case peerAlert(TLSAlert)
        /// The peer broke the protocol, speaks another one, or shares no setting with this side.
        case protocolViolation
        /// The transport ended without the peer's close_notify: what came may be incomplete.
        case truncated
        /// This side has closed the connection already.
        case closed
        /// OpenSSL ran out of memory or broke.
        case resources
    }

    /// Why a peer's certificate was not accepted.
    public enum Verification: Sendable, Equatable {
        case missing
        case expired
        case notYetValid
        case untrusted
        case hostName
        /// The closure of `TLSTrustRoots.custom` said no.
        case refused
        /// Another reason; the number is OpenSSL's (X509_V_ERR_..., verify(1)).
        case other(Int)
    }

    public let kind: Kind
    /// What failed.
    public let message: String
    /// OpenSSL's own text for the reason, or the system's.
    public let reason: String?
    /// What to do about it.
    public let remedy: String?

    init(_ kind: Kind, _ message: String, reason: String? = nil, remedy: String? = nil) {
        self.kind = kind
        self.message = message
        self.reason = reason
        self.remedy = remedy
    }

    public var description: String {
        let cause = reason.map { "\(message): \($0)" } ?? message
        return remedy.map { "\(cause); \($0)" } ?? cause
    }
}
#endif
