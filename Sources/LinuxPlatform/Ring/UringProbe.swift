internal import CLinux
internal import Glibc

/// Finds out whether io_uring works here, by using it.
///
/// Containers, sysctls and virtual kernels refuse it in many ways (EPERM, ENOSYS, EINVAL,
/// EOPNOTSUPP ...), some only for a part of its calls. After any of these errors epoll is used
/// instead.
package enum UringProbe {
    /// nil if a ring can be set up, entered, and woken from outside.
    package static func refusal() -> SystemError? {
        do {
            var settings = BackendSettings()
            settings.submissionEntries = 4
            let backend = try UringBackend(
                doorbell: Doorbell(), settings: settings, completionEntries: 8)
            try roundTrip(backend)
            try checkRegistering()
            return nil
        } catch {
            return error
        }
    }

    /// A wake-up must arrive as a completion.
    private static func roundTrip(_ backend: UringBackend) throws(SystemError) {
        backend.wake()
        try backend.probeWait(timeoutNanoseconds: 1_000_000_000)
        guard backend.hasCompletions else {
            throw SystemError(
                call: "io_uring MSG_RING", code: EOPNOTSUPP,
                remedy: "Linux 5.19 or later is needed")
        }
    }

    /// A filter that refuses only io_uring_register(2) counts as a refusal of io_uring, although
    /// doorbells could do without this call.
    private static func checkRegistering() throws(SystemError) {
        switch Doorbell.registerError() {
        case EBADF, EBADFD, EINVAL: break
        case let code:
            throw SystemError(call: "io_uring_register", code: code, remedy: remedy(code: code))
        }
    }

    static func setupError(code: Int32) -> SystemError {
        SystemError(call: "io_uring_setup", code: code, remedy: remedy(code: code))
    }

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
                + "Linux 5.19 or later and a profile that allows it are needed"
        case EINVAL:
            return "the kernel is too old for the flags used; Linux 5.19 or later is needed"
        case ENOMEM:
            return "locked memory is short; raise RLIMIT_MEMLOCK (ulimit -l)"
        case EMFILE, ENFILE:
            return "descriptors ran out; raise RLIMIT_NOFILE (ulimit -n)"
        default:
            return "io_uring is not available here"
        }
    }
}
