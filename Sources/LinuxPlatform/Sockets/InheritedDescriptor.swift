internal import Glibc

/// A descriptor inherited from systemd or from the program that started this one.
package enum InheritedDescriptor {
    /// Sets FD_CLOEXEC, so that child processes do not inherit the descriptor.
    package static func closeOnExec(_ descriptor: Int32) {
        let flags = fcntl(descriptor, F_GETFD)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFD, flags | FD_CLOEXEC) }
    }

    package static var processIdentifier: Int32 { getpid() }
}
