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

    // The values of `code` that the library distinguishes.
    package static let noName = EAI_NONAME
    package static let tryAgain = EAI_AGAIN
    package static let failure = EAI_FAIL
    package static let outOfMemory = EAI_MEMORY
    package static let system = EAI_SYSTEM
    // GNU extensions, which Swift does not import.
    package static let noData: Int32 = -5
    package static let addressFamily: Int32 = -9

    /// The C library's text.
    package var text: String {
        if let systemCode { return SystemError.text(of: systemCode) }
        return gai_strerror(code).map { String(cString: $0) } ?? "unknown error"
    }

    package static var notFound: NameLookupError { NameLookupError(code: EAI_NONAME) }

    /// If the process or the system has no free descriptor.
    package var descriptorRemedy: String? {
        guard let systemCode, ErrorCode.isDescriptorShortage(systemCode) else { return nil }
        return ErrorCode.descriptorRemedy(systemCode)
    }
}
