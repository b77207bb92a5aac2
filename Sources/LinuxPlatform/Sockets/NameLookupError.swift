internal import Glibc

/// Why getaddrinfo(3) gave no address.
package struct NameLookupError: Error, Equatable {
    /// One of EAI_NONAME and its kin.
    package let code: Int32
    /// The `errno` that stands behind EAI_SYSTEM.
    package let systemCode: Int32?

    package init(code: Int32, systemCode: Int32? = nil) {
        self.code = code
        self.systemCode = systemCode
    }

    package enum Reason: Sendable, Equatable {
        /// There is no such name, or it has no address.
        case notFound
        /// No name server answered; another try may help.
        case temporary
        /// The name servers refuse for good.
        case refused
        case outOfMemory
        /// A system call failed.
        case system
        case other
    }

    package var reason: Reason {
        switch code {
        case EAI_NONAME, NameLookupError.noData, NameLookupError.addressFamily: .notFound
        case EAI_AGAIN: .temporary
        case EAI_FAIL: .refused
        case EAI_MEMORY: .outOfMemory
        case EAI_SYSTEM: .system
        default: .other
        }
    }

    /// The C library's text.
    package var text: String {
        if let systemCode { return SystemError.text(of: systemCode) }
        return gai_strerror(code).map { String(cString: $0) } ?? "unknown error"
    }

    // GNU's, which Swift does not import.
    private static let noData: Int32 = -5
    private static let addressFamily: Int32 = -9
}

/// The codes of getaddrinfo(3), for modules that do not see the C library.
extension NameLookupError {
    package static var notFound: NameLookupError { NameLookupError(code: EAI_NONAME) }
    package static var temporary: NameLookupError { NameLookupError(code: EAI_AGAIN) }
}

extension NameLookupError {
    /// Whether the call failed because the process or the machine has no descriptor left.
    package var isShortOfDescriptors: Bool { systemCode == EMFILE || systemCode == ENFILE }
}
