#if TLS
internal import CTLS

/// A supported version of TLS. Older versions are insecure and unsupported.
public enum TLSVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// RFC 5246.
    case tls12
    /// RFC 8446.
    case tls13

    public var description: String {
        switch self {
        case .tls12: "TLS 1.2"
        case .tls13: "TLS 1.3"
        }
    }

    var code: Int32 {
        switch self {
        case .tls12: TLS1_2_VERSION
        case .tls13: TLS1_3_VERSION
        }
    }

    init?(code: Int32) {
        switch code {
        case TLS1_2_VERSION: self = .tls12
        case TLS1_3_VERSION: self = .tls13
        default: return nil
        }
    }
}
#endif
