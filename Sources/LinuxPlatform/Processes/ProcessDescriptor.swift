internal import CLinux
internal import Glibc

/// pidfd_open(2): names a process for good, also when its number is used again. Readable when the
/// process has ended.
package struct ProcessDescriptor: ~Copyable {
    private let descriptor: OwnedDescriptor

    /// What became of the wish to have one.
    package enum Opening: ~Copyable {
        case opened(ProcessDescriptor)
        /// There is no such process.
        case gone
        case refused(SystemError)
    }

    package static func open(_ process: Int32) -> Opening {
        guard process > 0 else { return .gone }
        let result = clinux_pidfd_open(process)
        if result >= 0 {
            return .opened(ProcessDescriptor(descriptor: OwnedDescriptor(adopting: result)))
        }
        switch -result {
        case ESRCH, EINVAL, ENOENT:
            // The last two: it ended at this moment, or the number is that of a thread.
            return .gone
        case let code:
            let isShort = code == EMFILE || code == ENFILE
            let remedy =
                isShort
                ? "descriptors ran out; raise RLIMIT_NOFILE (ulimit -n)"
                : "Linux 5.3 or later has it, and a seccomp profile must allow it"
            return .refused(SystemError(call: "pidfd_open", code: code, remedy: remedy))
        }
    }

    package var number: Int32 { descriptor.number }

    /// How the process ended; nil while it runs, or when Linux does not tell. Reaps nothing.
    package var exit: ProcessExit? { ProcessExit(clinux_pidfd_exit(descriptor.number)) }
}
