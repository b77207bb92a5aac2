internal import CLinux

/// How a process ended, as wait(2) reports it.
package enum ProcessExit: Sendable {
    case exited(code: Int32)
    case signaled(signal: Int32, coreDumped: Bool)

    init?(_ exit: clinux_exit) {
        guard exit.is_known else { return nil }
        let signal = exit.wait_status & 0x7f
        self =
            signal == 0
            ? .exited(code: exit.wait_status >> 8 & 0xff)
            : .signaled(signal: signal, coreDumped: exit.wait_status & 0x80 != 0)
    }
}
