internal import Glibc

/// Which signals a source can watch.
package enum Signals {
    /// Why a source cannot watch the signal; nil if it can.
    package static func refusal(of number: Int32) -> String? {
        switch number {
        case SIGKILL, SIGSTOP:
            "no program can handle SIGKILL or SIGSTOP"
        case SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS:
            "a fault raises it in the thread that made the mistake, which could not go on"
        case 1...31, SIGRTMIN...SIGRTMAX:
            nil
        case 32..<SIGRTMIN:
            "the C library keeps it for itself"
        default:
            "signals are numbered 1 to \(SIGRTMAX)"
        }
    }

    private static var SIGRTMIN: Int32 { __libc_current_sigrtmin() }
    private static var SIGRTMAX: Int32 { __libc_current_sigrtmax() }
}
