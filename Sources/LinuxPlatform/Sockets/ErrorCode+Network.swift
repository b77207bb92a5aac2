internal import Glibc

// Errors of connecting and accepting.
extension ErrorCode {
    package static let connectionRefused = ECONNREFUSED
    package static let connectionReset = ECONNRESET
    package static let networkUnreachable = ENETUNREACH
    package static let hostUnreachable = EHOSTUNREACH
    package static let familyNotSupported = EAFNOSUPPORT
    package static let wrongType = EPROTOTYPE

    /// Whether accept(2) may succeed at the next call, because the connection or the network
    /// failed, not the listening socket.
    package static func isPassingAcceptError(_ code: Int32) -> Bool {
        switch code {
        case ECONNABORTED, EPROTO, ENETDOWN, ENOPROTOOPT, EHOSTDOWN, ENONET, EHOSTUNREACH,
            ENETUNREACH, EPERM, EINTR, EAGAIN, ETIMEDOUT, ECONNRESET:
            true
        default: isShortage(code)
        }
    }

    /// Whether descriptors or memory have run out.
    package static func isShortage(_ code: Int32) -> Bool {
        isDescriptorShortage(code) || code == ENOBUFS || code == ENOMEM
    }
}
