internal import CLinux
internal import Glibc

/// Finds out whether io_uring works here, by using it.
///
/// Containers, sysctls and virtual kernels refuse it in many ways (EPERM, ENOSYS, EINVAL,
/// EOPNOTSUPP ...), some only for a part of its calls. After any of these errors epoll is used
/// instead.
package enum UringProbe {
    /// nil if a ring can be set up, entered, given a buffer ring, and woken from outside.
    package static func refusal() -> SystemError? {
        do {
            var settings = BackendSettings()
            settings.submissionEntries = 4
            let backend = try UringBackend(
                doorbell: Doorbell(), settings: settings, completionEntries: 8)
            try roundTrip(backend)
            try registerBufferRing()
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

    private static func registerBufferRing() throws(SystemError) {
        var ring = io_uring()
        var parameters = io_uring_params()
        parameters.flags = UringBackend.setupFlags & ~UInt32(IORING_SETUP_CQSIZE)
        var result = clinux_open_ring(4, &ring, &parameters)
        guard result == 0 else { throw setupError(code: -result) }
        defer { clinux_close_ring(&ring) }
        let pageSize = sysconf(Int32(_SC_PAGESIZE))
        let memory = mmap(
            nil, pageSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else {
            throw SystemError(call: "mmap", code: errno)
        }
        defer { munmap(memory, pageSize) }
        var registration = io_uring_buf_reg()
        registration.ring_addr = UInt64(UInt(bitPattern: memory))
        registration.ring_entries = 8
        result = io_uring_register_buf_ring(&ring, &registration, 0)
        guard result == 0 else {
            throw SystemError(
                call: "io_uring_register", code: -result, remedy: remedy(code: -result))
        }
        io_uring_unregister_buf_ring(&ring, 0)
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
