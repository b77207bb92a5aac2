#if TLS
/// A TLS failure, with its cause and a remedy.
public struct TLSError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was wrong, in a form that a program can test.
    public enum Reason: Sendable, Hashable {
        /// A file could not be read.
        case file
        /// A certificate or a certificate list is unusable.
        case certificate
        /// A private key is unusable.
        case privateKey
        /// A private key's password is missing or wrong.
        case password
        /// The private key does not match the certificate.
        case keyMismatch
        /// OpenSSL refuses a setting, or two settings contradict each other.
        case configuration
        /// The peer's certificate was rejected.
        case verification(Verification)
        /// The peer ended the connection with an alert.
        case peerAlert(TLSAlert)
        /// The peer violates the protocol, speaks another one, or shares no cipher or version.
        case protocolViolation
        /// The transport ended without the peer's close_notify: the received data may be
        /// incomplete.
        case truncated
        /// This side has already closed the connection.
        case closed
        /// OpenSSL is out of memory or failed internally.
        case resources
    }

    /// The reason why a peer's certificate was rejected.
    public enum Verification: Sendable, Hashable {
        /// The peer presented no certificate, and one is required.
        case missing
        /// The period of validity is over, by this machine's clock.
        case expired
        /// The period of validity has not begun, by this machine's clock.
        case notYetValid
        /// No authority in ``TLSConfiguration/trustRoots`` has issued it, or an intermediate
        /// certificate is missing.
        case untrusted
        /// It is for other names or addresses than the one that the client connects to.
        case hostName
        /// The closure of `TLSTrustRoots.custom` returned false.
        case refused
        /// Any other reason, as OpenSSL's code (X509_V_ERR_..., verify(1)).
        case other(Int)
    }

    /// For programs; `description` is for people.
    public let reason: Reason
    /// What failed, without the detail and the remedy.
    public let message: String
    /// The cause in the words of OpenSSL or the operating system.
    public let detail: String?
    /// How to fix it.
    public let remedy: String?

    init(_ reason: Reason, _ message: String, detail: String? = nil, remedy: String? = nil) {
        self.reason = reason
        self.message = message
        self.detail = detail
        self.remedy = remedy
    }

    public var description: String {
        let cause = detail.map { "\(message): \($0)" } ?? message
        return remedy.map { "\(cause); \($0)" } ?? cause
    }
}
#endif
