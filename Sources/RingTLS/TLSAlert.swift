#if TLS
internal import CTLS

/// A TLS alert: the message that precedes the end of a connection (RFC 8446, section 6).
public struct TLSAlert: Sendable, Hashable, CustomStringConvertible {
    /// The alert's number in the protocol.
    public let code: UInt8

    public init(code: UInt8) {
        self.code = code
    }

    /// OpenSSL's name and the number: `unknown CA (48)`.
    public var description: String {
        let name = SSL_alert_desc_string_long(Int32(code)).map { String(cString: $0) }
        return "\(name ?? "unknown") (\(code))"
    }

    public static let closeNotify = TLSAlert(code: 0)
    public static let unexpectedMessage = TLSAlert(code: 10)
    public static let badRecordMAC = TLSAlert(code: 20)
    public static let handshakeFailure = TLSAlert(code: 40)
    public static let badCertificate = TLSAlert(code: 42)
    public static let certificateExpired = TLSAlert(code: 45)
    public static let certificateUnknown = TLSAlert(code: 46)
    public static let unknownAuthority = TLSAlert(code: 48)
    public static let protocolVersion = TLSAlert(code: 70)
    public static let unrecognizedName = TLSAlert(code: 112)
    public static let certificateRequired = TLSAlert(code: 116)
    public static let noApplicationProtocol = TLSAlert(code: 120)
}
#endif
