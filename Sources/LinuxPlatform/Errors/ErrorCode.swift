internal import Glibc

/// The `errno` values that the library distinguishes, for modules that do not import the C library.
package enum ErrorCode {
    // Descriptors and files.
    package static let badDescriptor = EBADF
    package static let processDescriptors = EMFILE
    package static let systemDescriptors = ENFILE
    package static let access = EACCES
    package static let notPermitted = EPERM
    package static let noEntry = ENOENT
    package static let exists = EEXIST
    package static let notDirectory = ENOTDIR
    package static let isDirectory = EISDIR
    package static let nameTooLong = ENAMETOOLONG
    package static let tooManyLinks = ELOOP
    package static let noSpace = ENOSPC
    package static let noDevice = ENODEV
    package static let cannotSeek = ESPIPE
    package static let inputOutput = EIO

    // System calls in general.
    package static let invalid = EINVAL
    package static let interrupted = EINTR
    package static let tryAgain = EAGAIN
    package static let cancelled = ECANCELED
    package static let timedOut = ETIMEDOUT
    package static let noData = ENODATA

    // Sockets.
    package static let brokenPipe = EPIPE
    package static let addressInUse = EADDRINUSE
    package static let addressNotAvailable = EADDRNOTAVAIL
    package static let protocolError = EPROTO
    package static let messageTooLong = EMSGSIZE
    package static let destinationRequired = EDESTADDRREQ
    package static let notSocket = ENOTSOCK
    package static let connectionRefused = ECONNREFUSED
    package static let connectionReset = ECONNRESET
    package static let networkUnreachable = ENETUNREACH
    package static let hostUnreachable = EHOSTUNREACH
    package static let familyNotSupported = EAFNOSUPPORT
    package static let wrongType = EPROTOTYPE

    /// Whether a datagram socket's error comes from the network (ICMP). The kernel reports it once.
    package static func isFromPeer(_ code: Int32) -> Bool {
        [
            ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EHOSTDOWN, ENONET, EPROTO, ENOPROTOOPT,
            EMSGSIZE, EACCES, EOPNOTSUPP,
        ].contains(code)
    }

    /// Whether the kernel or a network interface refuses to segment a message (UDP_SEGMENT).
    package static func isSegmentRefusal(_ code: Int32) -> Bool {
        [EIO, EINVAL, EMSGSIZE, EOPNOTSUPP, ENOPROTOOPT].contains(code)
    }

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

    /// Whether the process or the system has run out of descriptors.
    package static func isDescriptorShortage(_ code: Int32) -> Bool {
        code == EMFILE || code == ENFILE
    }

    /// Whether epoll_ctl(2) had no room for a further descriptor.
    package static func isWatchShortage(_ code: Int32) -> Bool {
        code == ENOSPC || code == ENOMEM
    }

    package static let watchShortageRemedy =
        "raise fs.epoll.max_user_watches (sysctl), or give the machine more memory"

    /// The remedy for a shortage of descriptors.
    package static func descriptorRemedy(_ code: Int32) -> String {
        code == ENFILE
            ? "the machine's descriptors ran out; raise fs.file-max (sysctl)"
            : "descriptors ran out; raise RLIMIT_NOFILE (ulimit -n)"
    }
}
