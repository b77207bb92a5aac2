internal import Glibc

/// Why getaddrinfo(3) returned no address.
package struct NameLookupError: Error, Equatable {
    /// EAI_NONAME or another EAI code.
    package let code: Int32
    /// The `errno` for EAI_SYSTEM.
    package let systemCode: Int32?

    package init(code: Int32, systemCode: Int32? = nil) {
        self.code = code
        self.systemCode = systemCode
    }

    package enum Reason: Sendable, Equatable {
        /// The name does not exist or has no address.
        case notFound
        /// No name server answered; a retry may help.
        case temporary
        /// The name servers refused permanently.
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

    // GNU extensions, which Swift does not import.
    private static let noData: Int32 = -5
    private static let addressFamily: Int32 = -9

    package static var notFound: NameLookupError { NameLookupError(code: EAI_NONAME) }

    /// If the process or the system has no free descriptor.
    package var descriptorRemedy: String? {
        guard let systemCode, ErrorCode.isDescriptorShortage(systemCode) else { return nil }
        return ErrorCode.descriptorRemedy(systemCode)
    }
}
