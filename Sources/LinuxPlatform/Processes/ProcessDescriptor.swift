internal import CLinux
internal import Glibc

/// pidfd_open(2): refers to one process, even after its number is reused. Readable once the process
/// has ended. Closed with the last reference.
package final class ProcessDescriptor: Sendable {
    private let descriptor: OwnedDescriptor

    private init(adopting number: Int32) { descriptor = OwnedDescriptor(adopting: number) }

    package enum Opening {
        case opened(ProcessDescriptor)
        /// No such process exists.
        case gone
        case refused(SystemError)
    }

    package static func open(_ process: Int32) -> Opening {
        guard process > 0 else { return .gone }
        let result = clinux_pidfd_open(process)
        if result >= 0 { return .opened(ProcessDescriptor(adopting: result)) }
        switch -result {
        case ESRCH, EINVAL, ENOENT:
            // EINVAL, ENOENT: the process has just ended, or the number is a thread's.
            return .gone
        case let code:
            let remedy =
                ErrorCode.isDescriptorShortage(code)
                ? ErrorCode.descriptorRemedy(code)
                : "Linux 5.3 or later has it, and a seccomp profile must allow it"
            return .refused(SystemError(call: "pidfd_open", code: code, remedy: remedy))
        }
    }

    package var number: Int32 { descriptor.number }

    /// How the process ended, in the format of wait(2); nil while it runs, or if Linux does not
    /// report it. Does not reap the process.
    package var waitStatus: Int32? { clinux_pidfd_exit(descriptor.number).waitStatus }
}

extension clinux_exit {
    var waitStatus: Int32? { is_known ? wait_status : nil }
}
