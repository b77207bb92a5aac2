public import SystemPackage

/// One change of a watched tree.
///
/// Apply changes in their order to the tree as it was known before, and you get the tree as it is.
public struct FileChange: Sendable, Hashable {
    /// What happened.
    public enum Action: String, Sendable, CaseIterable {
        /// Something is at `path` that was not there before, or has come from outside.
        case created
        /// A file's content changed, or something else of the same kind took its place.
        case modified
        /// What was at `path` is gone, with all below it.
        case removed
        /// What was at `previousPath` is at `path` now, with all below it, in the place of what
        /// may have been there.
        case renamed
        /// Permissions, owner, times or the count of links changed.
        case attributes
        /// Every folder below `path` is being compared with what was known of it: the changes that
        /// were lost follow, marked as discovered.
        case rescan
        /// Changes were lost: by the kernel, whose queue was full, after which a `rescan` follows
        /// and all is reported again; or on the way to a receiver that was too slow.
        case overflow
    }

    /// What a path leads to. Symbolic links are followed only if the watcher's options say so.
    public enum Kind: String, Sendable {
        case file, directory, symlink
        /// A socket, a pipe or a device.
        case other
    }

    /// 1, 2, 3 and so on for each watcher; a gap means that changes were dropped.
    public var sequence: UInt64
    /// When the watcher noticed it: nanoseconds since 1970.
    public var timeNanoseconds: Int64
    public var action: Action
    /// The root as it was given to the watcher, and below it the names that lead there.
    public var path: FilePath
    /// Where it was before; of `renamed` only.
    public var previousPath: FilePath?
    public var kind: Kind
    /// Found by a scan of a folder, not reported by the kernel.
    public var isDiscovered: Bool

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

extension FileChange: CustomStringConvertible {
    public var description: String {
        let from = previousPath.map { "\($0) -> " } ?? ""
        return "\(sequence) \(action.rawValue) \(from)\(path) (\(kind.rawValue)"
            + (isDiscovered ? ", discovered)" : ")")
    }
}
