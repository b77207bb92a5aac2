import Glibc

/// The kernel's limit of watched descriptors, fs.epoll.max_user_watches, which belongs to the
/// machine.
package enum WatchLimit {
    private static let isReached = Watched(false)

    /// To be called once, in a child process: from now on the kernel refuses all descriptors like
    /// one whose limit is reached (ENOSPC). False where that is impossible.
    package static func reach() -> Bool {
        #if arch(x86_64)
        let epollCall = UInt32(233)
        #else
        let epollCall = UInt32(21)
        #endif
        isReached.update { $0 = true }
        return CallFilter.answer([
            .load(0), .skip(3, unless: epollCall),
            // The operation is EPOLL_CTL_ADD.
            .load(24), .skip(1, unless: 1),
            .end(CallFilter.notify),
            .end(CallFilter.allow),
        ]) { isReached.value ? ENOSPC : 0 }
    }

    /// The kernel has room again.
    package static func lift() { isReached.update { $0 = false } }
}
