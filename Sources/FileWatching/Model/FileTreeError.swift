public import SystemPackage

/// Why something cannot be watched, and what to do about it.
public struct FileTreeError: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Reason: String, Sendable {
        /// The path leads nowhere.
        case notFound
        /// The process may not read the folder.
        case accessDenied
        /// The user has as many inotify watches as allowed: the folder is not watched.
        case watchLimit
        /// The user has as many inotify instances as allowed.
        case instanceLimit
        /// The kernel's queue of events was full and events were lost. The watcher repairs that.
        case queueLimit
        /// The process or the machine has no descriptor left.
        case descriptorLimit
        /// The kernel has another reason; `code` is its `errno`.
        case other
    }

    public let reason: Reason
    public let path: FilePath
    /// The `errno` of the call that failed; 0 when none did.
    public let code: Int32
    /// What failed, why, and what to do, in one line.
    public let description: String
}
