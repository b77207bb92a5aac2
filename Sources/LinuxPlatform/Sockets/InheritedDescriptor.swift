internal import Glibc

/// A descriptor that another program has made: systemd, or the one that started this one.
package enum InheritedDescriptor {
    /// No program that this one starts inherits it further (FD_CLOEXEC).
    package static func closeOnExec(_ descriptor: Int32) {
        let flags = fcntl(descriptor, F_GETFD)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
    }

    package static var processIdentifier: Int32 { getpid() }
}
