internal import CLinux
internal import Glibc

/// Finds out whether io_uring works here, by using it.
///
/// Containers, sysctls and virtual kernels refuse it in many ways (EPERM, ENOSYS, EINVAL,
/// EOPNOTSUPP ...), some only for a part of its calls. After any of these errors epoll is used
/// instead.
package enum UringProbe {
    /// Sets a ring up, enters it, and wakes it.
    /// - Parameter newest: an operation that the kernel must have.
    /// - Throws: how io_uring is refused.
    package static func check(newest: Int32 = newestOfLinux61) throws(SystemError) {
        let ring = try Ring(entries: (submission: 4, completion: 8))
        // A wake-up must arrive as a completion.
        ring.wake()
        guard try ring.probeWait(timeoutNanoseconds: 1_000_000_000) else {
            throw SystemError(call: "io_uring POLL_ADD", code: EOPNOTSUPP, remedy: kernelRemedy)
        }
        let supported = ring.supports(newest)
        if supported == 1 { return }
        throw SystemError(
            call: "io_uring_register", code: supported == 0 ? EOPNOTSUPP : -supported,
            remedy: supported == 0 ? kernelRemedy : remedy(code: -supported))
    }

    /// An operation that Linux 6.1, the oldest kernel that the library is tested with, was the
    /// first to have. The library does not use it.
    package static let newestOfLinux61 = Int32(IORING_OP_SENDMSG_ZC.rawValue)

    private static let kernelRemedy = "Linux 6.1 or later is needed"

    /// The user's remedy for a refusal.
    static func remedy(code: Int32) -> String {
        switch code {
        case EPERM, EACCES:
            if let setting = SystemFile.firstLine(of: "/proc/sys/kernel/io_uring_disabled"),
                setting != "0"
            {
                return "the sysctl kernel.io_uring_disabled is \(setting); "
                    + "set it to 0 (sysctl -w kernel.io_uring_disabled=0)"
            }
            return "a seccomp profile blocks it, as containers' default profiles do; "
                + "run with --security-opt seccomp=PROFILE that allows io_uring_setup, "
                + "io_uring_enter and io_uring_register"
        case ENOSYS:
            return "the kernel or the container's profile has no io_uring; "
                + "Linux 6.1 or later and a profile that allows it are needed"
        case EINVAL:
            return "the kernel is too old for the flags used; Linux 6.1 or later is needed"
        case ENOMEM:
            return "locked memory is short; raise RLIMIT_MEMLOCK (ulimit -l)"
        case EMFILE, ENFILE:
            return ErrorCode.descriptorRemedy(code)
        default:
            return "io_uring is not available here"
        }
    }
}
