internal import CLinux
internal import Glibc

/// Queries on a process by its number alone.
package enum Processes {
    /// Whether a process has ended, and how, in the format of wait(2), if Linux reports it. A
    /// process that is not our child counts as running until its parent reaps it.
    package static func hasEnded(_ process: Int32) -> (Bool, waitStatus: Int32?) {
        if let status = clinux_child_exit(process).waitStatus { return (true, status) }
        return (!clinux_process_exists(process), nil)
    }

    /// getpid(2).
    package static var current: Int32 { getpid() }

    /// Runs `body` when this process ends by exit(3), but not when a child of fork(2) does.
    /// on_exit(3).
    package static func atExit(_ body: @escaping @Sendable () -> Void) {
        let process = current
        let entry = Threads.Entry { if process == current { body() } }
        on_exit(
            { _, entry in
                guard let entry else { return }
                Unmanaged<Threads.Entry>.fromOpaque(entry).takeRetainedValue().body()
            }, Unmanaged.passRetained(entry).toOpaque())
    }
}
