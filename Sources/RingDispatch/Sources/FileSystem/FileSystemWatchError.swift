/// Why a file cannot be watched, and what to do about it.
public struct FileSystemWatchError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What was wrong, in a form that a program can test.
    public enum Reason: Sendable, Equatable {
        /// The path does not exist.
        case notFound
        /// The process may not search the path's directories, or may not read the file.
        case accessDenied
        /// The path is too long or invalid, or its symbolic links form a loop.
        case invalidPath
        /// The process or the machine has no free descriptor.
        case descriptorLimit
        /// The user has reached the limit on inotify instances.
        case instanceLimit
        /// The user has reached the limit on inotify watches.
        case watchLimit
        /// The descriptor's object is not in a file system: a pipe, a socket, a memfd.
        case notWatchable
        /// /proc, through which a descriptor's file is named to the kernel, is not mounted.
        case procUnavailable
        /// The kernel gave another reason; see `code`.
        case other
    }

    /// For programs; `description` is for people.
    public let reason: Reason
    /// The `errno` of the call that failed.
    public let code: ErrorNumber
    /// The call, the cause and the remedy, in one line.
    public let description: String
}
