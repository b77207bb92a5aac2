/// Why a file cannot be watched, and what to do about it.
public struct FileSystemWatchError: Error, Sendable, Equatable, CustomStringConvertible {
    public enum Reason: Sendable, Equatable {
        /// The path leads nowhere.
        case notFound
        /// The process may not search the path's directories, or not read the file itself.
        case accessDenied
        /// The path is too long, or no path, or its symbolic links lead in a circle.
        case invalidPath
        /// The process or the machine has no descriptor left.
        case descriptorLimit
        /// The user has as many inotify instances as allowed.
        case instanceLimit
        /// The user has as many inotify watches as allowed.
        case watchLimit
        /// The descriptor is of something that no file system holds: a pipe, a socket, a memfd.
        case notWatchable
        /// /proc, through which the kernel is told what to watch, is not there.
        case procUnavailable
        /// The kernel has another reason; `code` is its `errno`.
        case other
    }

    public let reason: Reason
    /// The `errno` of the call that failed.
    public let code: Int32
    /// The call, the cause and the remedy, in one line.
    public let description: String
}
