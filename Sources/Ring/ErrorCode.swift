internal import Glibc

/// The `errno` values that the library tells apart, for modules that do not see the C library.
package enum ErrorCode {
    package static let notPermitted = EPERM
    package static let noEntry = ENOENT
    package static let access = EACCES
    package static let notDirectory = ENOTDIR
    package static let invalid = EINVAL
    package static let systemDescriptors = ENFILE
    package static let processDescriptors = EMFILE
    package static let noSpace = ENOSPC
    package static let nameTooLong = ENAMETOOLONG
    package static let badDescriptor = EBADF
    package static let tooManyLinks = ELOOP
    package static let brokenPipe = EPIPE
    package static let noBuffers = ENOBUFS
    package static let addressInUse = EADDRINUSE
    package static let addressNotAvailable = EADDRNOTAVAIL

    /// Whether the process or the system has run out of descriptors.
    package static func isDescriptorShortage(_ code: Int32) -> Bool {
        code == EMFILE || code == ENFILE
    }
}
