#if TLS
internal import CTLS

/// A TLS alert: the message that precedes the end of a connection (RFC 8446, section 6).
public struct TLSAlert: Sendable, Hashable, CustomStringConvertible {
    /// The alert's number in the protocol.
    public let code: UInt8

    /// Creates an alert from its number. Numbers without a name here are valid, too.
    public init(code: UInt8) {
        self.code = code
    }

    /// OpenSSL's name and the number: `unknown CA (48)`.
    public var description: String {
        let name = SSL_alert_desc_string_long(Int32(code)).map { String(cString: $0) }
        return "\(name ?? "unknown") (\(code))"
    }

    /// The sender will send nothing more: the regular end of its direction.
    public static let closeNotify = TLSAlert(code: 0)
    /// A message that is not allowed at this point of the protocol.
    public static let unexpectedMessage = TLSAlert(code: 10)
    /// A record was changed on its way, or the keys differ.
    public static let badRecordMAC = TLSAlert(code: 20)
    /// The two sides have no common settings, such as a cipher.
    public static let handshakeFailure = TLSAlert(code: 40)
    /// The certificate is malformed, or its signature is wrong.
    public static let badCertificate = TLSAlert(code: 42)
    /// The certificate is outside its period of validity.
    public static let certificateExpired = TLSAlert(code: 45)
    /// The certificate is not accepted for a reason without an alert of its own.
    public static let certificateUnknown = TLSAlert(code: 46)
    /// No trusted authority has issued the certificate (unknown_ca).
    public static let unknownAuthority = TLSAlert(code: 48)
    /// No version of TLS that both sides accept.
    public static let protocolVersion = TLSAlert(code: 70)
    /// The server has no host of the requested name (SNI, RFC 6066).
    public static let unrecognizedName = TLSAlert(code: 112)
    /// The server requires a certificate, and the client presented none. TLS 1.3 only.
    public static let certificateRequired = TLSAlert(code: 116)
    /// No application protocol that both sides support (ALPN, RFC 7301).
    public static let noApplicationProtocol = TLSAlert(code: 120)
}
#endif
