public import RingDispatch
public import SystemPackage

/// Why a path cannot be watched, or not reliably, with a remedy.
public struct FileTreeError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What was wrong, in a form that a program can test.
    public enum Reason: String, Sendable {
        /// The path does not exist.
        case notFound
        /// The process has no permission to read the folder.
        case accessDenied
        /// The user's limit of inotify watches is reached: the folder is not watched.
        case watchLimit
        /// The user's limit of inotify instances is reached.
        case instanceLimit
        /// The kernel's event queue was full and events were lost. The watcher recovers with a
        /// rescan.
        case queueLimit
        /// The process or the machine has no free descriptor. The watcher scans the folder once
        /// there is one.
        case descriptorLimit
        /// The folder is on a network file system, or on FUSE: the kernel does not report changes
        /// that others make. See ``FileTreeOptions/pollInterval``.
        case sharedFileSystem
        /// Another error of the kernel; see `code`.
        case other
    }

    /// For programs; `description` is for people.
    public let reason: Reason
    /// The root, folder or mount point that the error is about.
    public let path: FilePath
    /// The `errno` of the failed call; nil if none failed.
    public let code: ErrorNumber?
    /// The failure, its cause and a remedy, in one line.
    public let description: String
}
