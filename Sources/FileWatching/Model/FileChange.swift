public import SystemPackage

/// One change of a watched tree.
///
/// An observer that applies the changes in order to an earlier state of the tree gets its current
/// state.
public struct FileChange: Sendable, Hashable {
    /// What happened.
    public enum Action: String, Sendable, CaseIterable {
        /// A new entry at `path`, or one moved in from outside the tree.
        case created
        /// A file's content changed, or another entry of the same kind replaced it, which is no
        /// folder. For a file with several names (hard links), only the name that was used is
        /// reported.
        case modified
        /// The entry at `path` was removed, with all its descendants.
        case removed
        /// The entry at `previousPath` moved to `path`, with all its descendants. It may have
        /// replaced another entry, also of another kind.
        case renamed
        /// Permissions, owner, times or the link count changed.
        case attributes
        /// All folders below `path` are being compared with the known state. The lost changes
        /// follow, marked as discovered.
        case rescan
        /// Changes were lost. Either the kernel's queue was full: a `rescan` follows and finds
        /// them. Or more than 500,000 changes waited for the receiver, perhaps from one scan: they
        /// were dropped, and no `rescan` follows. Or more changes waited for a sequence than its
        /// `bound`, 1024 by default. The receiver can take a snapshot.
        case overflow
    }

    /// The kind of an entry. Symbolic links are followed only if the watcher's options say so.
    public enum Kind: String, Sendable {
        /// A regular file.
        case file
        /// A folder.
        case directory
        /// A symbolic link that is not followed.
        case symlink
        /// A socket, a pipe or a device.
        case other
    }

    /// Counts up from 1 for each watcher. A gap means that changes were dropped.
    public var sequence: UInt64
    /// The time when the watcher noticed the change, in nanoseconds since 1970.
    public var timeNanoseconds: Int64
    /// What happened to the entry.
    public var action: Action
    /// Begins with the root as passed to the watcher.
    public var path: FilePath
    /// The old path of a `renamed` entry; nil for other actions.
    public var previousPath: FilePath?
    /// The entry's kind after the change; of a `removed` entry, its last one. After a `renamed`, it
    /// may differ from the kind in earlier changes of the path, which belongs to another entry now.
    /// A new entry that had left its path before it could be examined counts as a `file`, unless it
    /// is a `directory`; its next `modified` or `attributes` has its true kind.
    public var kind: Kind
    /// True if a scan of a folder found the change, false if the kernel reported it.
    public var isDiscovered: Bool

    /// Creates a change, for tests of code that receives changes. A watcher numbers its own.
    public init(
        sequence: UInt64, timeNanoseconds: Int64, action: Action, path: FilePath,
        previousPath: FilePath? = nil, kind: Kind, isDiscovered: Bool = false
    ) {
        self.sequence = sequence
        self.timeNanoseconds = timeNanoseconds
        self.action = action
        self.path = path
        self.previousPath = previousPath
        self.kind = kind
        self.isDiscovered = isDiscovered
    }
}

extension FileChange {
    /// The mark in the place of dropped changes, of which this is one.
    var asOverflow: FileChange {
        var mark = self
        mark.action = .overflow
        mark.previousPath = nil
        return mark
    }
}

extension FileChange: CustomStringConvertible {
    public var description: String {
        let from = previousPath.map { "\($0) -> " } ?? ""
        return "\(sequence) \(action.rawValue) \(from)\(path) (\(kind.rawValue)"
            + (isDiscovered ? ", discovered)" : ")")
    }
}
