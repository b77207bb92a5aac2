internal import LinuxPlatform

extension DispatchSource {
    /// What can happen to a file or directory. `dispatch_source_vnode_flags_t`.
    ///
    /// Linux tells that something changed, and a look at the file shows what. Of a change that was
    /// taken back before the look less is told: a file that grew and was cut short again counts as
    /// written only, and a link that was made and removed as an attribute change. Writing through
    /// a memory mapping is not told, nor is what other machines do on a network file system.
    public struct FileSystemEvent: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The last name of the object was removed, or another file took it. The descriptor stays
        /// good. For a directory the process must be allowed to read its parent directory.
        public static let delete = FileSystemEvent(rawValue: 0x1)
        /// The content changed, also by cutting it short; an entry of the directory came, went or
        /// was renamed.
        public static let write = FileSystemEvent(rawValue: 0x2)
        /// The size grew. Files only.
        public static let extend = FileSystemEvent(rawValue: 0x4)
        /// Owner, mode, times or extended attributes were set.
        public static let attrib = FileSystemEvent(rawValue: 0x8)
        /// The number of names changed, and one is left; a directory's number of subdirectories.
        public static let link = FileSystemEvent(rawValue: 0x10)
        /// One of the object's names changed, or its directory.
        public static let rename = FileSystemEvent(rawValue: 0x20)
        /// The file system was unmounted. Linux unmounts none while a descriptor of it is open, and
        /// an `umount --lazy` leaves the descriptor working, so this is rarely seen.
        public static let revoke = FileSystemEvent(rawValue: 0x40)
        /// A lock was given up. Linux does not tell: making a source with this in its mask traps.
        public static let funlock = FileSystemEvent(rawValue: 0x100)

        /// All but `funlock`.
        public static let all: FileSystemEvent = [
            .delete, .write, .extend, .attrib, .link, .rename, .revoke,
        ]
    }
}

extension DispatchSource.FileSystemEvent {
    /// What to ask the kernel for.
    func inotifyMask(ofDirectory isDirectory: Bool) -> InotifyMask {
        // No watch may ask for nothing; this one tells nothing wrong.
        var mask: InotifyMask = .selfDeleted
        if isDirectory {
            if !isDisjoint(with: [.write, .link]) { mask.formUnion(.entries) }
            // A directory that moves gets another parent, which tells of its removal.
            if contains(.delete) { mask.formUnion([.attributes, .selfMoved]) }
        } else {
            if !isDisjoint(with: [.write, .extend]) { mask.insert(.modified) }
            if !isDisjoint(with: [.delete, .link]) { mask.insert(.attributes) }
        }
        if contains(.attrib) { mask.insert(.attributes) }
        if contains(.rename) { mask.insert(.selfMoved) }
        return mask
    }

    /// Those that are told by comparing what is known of a file with what it is.
    static let compared: DispatchSource.FileSystemEvent = [.delete, .extend, .attrib, .link]
}
