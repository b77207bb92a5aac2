internal import CLinux
internal import Glibc

/// Queries on a process by its number alone.
package enum Processes {
    /// Whether a process has ended, and how, if Linux reports it. A process that is not our child
    /// counts as running until its parent reaps it.
    package static func hasEnded(_ process: Int32) -> (Bool, ProcessExit?) {
        if let exit = ProcessExit(clinux_child_exit(process)) { return (true, exit) }
        return (!clinux_process_exists(process), nil)
    }

    /// getpid(2).
    package static var current: Int32 { getpid() }

    /// Runs `body` when the process ends by exit(3). atexit(3).
    package static func atExit(_ body: @escaping @convention(c) () -> Void) { atexit(body) }
}
