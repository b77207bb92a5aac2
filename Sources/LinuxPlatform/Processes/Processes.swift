internal import CLinux

/// What can be asked about a process by its number alone.
package enum Processes {
    /// Whether a process has ended, and how, where Linux tells. One that is no child of ours has
    /// not ended, as far as this can tell, before its parent has reaped it.
    package static func hasEnded(_ process: Int32) -> (Bool, ProcessExit?) {
        if let exit = ProcessExit(clinux_child_exit(process)) { return (true, exit) }
        return (!clinux_process_exists(process), nil)
    }
}
