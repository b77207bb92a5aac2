internal import LinuxPlatform

/// The `errno` of a failed system call, as the `code` of the libraries' errors. errno(3).
///
/// The constants are the numbers that programs test most often, with the names of swift-system's
/// `Errno`. Compare others by their raw value: `error.code.rawValue == EISDIR`. With swift-system,
/// `Errno(rawValue: error.code.rawValue)` has names for all; FileWatching adds `Errno(error.code)`.
public struct ErrorNumber: RawRepresentable, Hashable, Sendable {
    /// The number in C, such as 104 for ECONNRESET.
    public let rawValue: Int32

    /// An error with a number of C.
    public init(rawValue: Int32) { self.rawValue = rawValue }
}

extension ErrorNumber: CustomStringConvertible {
    /// The C library's text and the number: "Connection reset by peer (errno 104)".
    public var description: String { SystemError.text(of: rawValue) }
}

extension ErrorNumber {
    /// EACCES.
    public static let permissionDenied = ErrorNumber(rawValue: ErrorCode.access)
    /// EPERM.
    public static let notPermitted = ErrorNumber(rawValue: ErrorCode.notPermitted)
    /// ENOENT.
    public static let noSuchFileOrDirectory = ErrorNumber(rawValue: ErrorCode.noEntry)
    /// ENOSPC; for file watching, the user's limit of watches.
    public static let noSpace = ErrorNumber(rawValue: ErrorCode.noSpace)
    /// EBADF.
    public static let badFileDescriptor = ErrorNumber(rawValue: ErrorCode.badDescriptor)
    /// EMFILE: the process's limit.
    public static let tooManyOpenFiles = ErrorNumber(rawValue: ErrorCode.processDescriptors)
    /// ENFILE: the system's limit.
    public static let tooManyOpenFilesInSystem = ErrorNumber(rawValue: ErrorCode.systemDescriptors)
    /// ENODATA: a file is shorter than the part of it that was to be sent.
    public static let noData = ErrorNumber(rawValue: ErrorCode.noData)

    /// EADDRINUSE.
    public static let addressInUse = ErrorNumber(rawValue: ErrorCode.addressInUse)
    /// EADDRNOTAVAIL.
    public static let addressNotAvailable = ErrorNumber(rawValue: ErrorCode.addressNotAvailable)
    /// ECONNREFUSED.
    public static let connectionRefused = ErrorNumber(rawValue: ErrorCode.connectionRefused)
    /// ECONNRESET.
    public static let connectionReset = ErrorNumber(rawValue: ErrorCode.connectionReset)
    /// EPIPE.
    public static let brokenPipe = ErrorNumber(rawValue: ErrorCode.brokenPipe)
    /// EPROTO: TLS has failed before the bytes were sent.
    public static let protocolError = ErrorNumber(rawValue: ErrorCode.protocolError)
    /// EMSGSIZE.
    public static let messageTooLong = ErrorNumber(rawValue: ErrorCode.messageTooLong)
    /// ENETUNREACH.
    public static let networkUnreachable = ErrorNumber(rawValue: ErrorCode.networkUnreachable)
    /// EHOSTUNREACH.
    public static let noRouteToHost = ErrorNumber(rawValue: ErrorCode.hostUnreachable)
    /// ETIMEDOUT.
    public static let timedOut = ErrorNumber(rawValue: ErrorCode.timedOut)
    /// ECANCELED.
    public static let canceled = ErrorNumber(rawValue: ErrorCode.cancelled)
}
