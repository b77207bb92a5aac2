extension DispatchSource {
    /// Events of a file or directory. `dispatch_source_vnode_flags_t`.
    ///
    /// Linux reports only that something changed; the library then compares the file's status with
    /// the last one. So it reports less about a change that was undone in between: a file that grew
    /// and was truncated again was only written, and a link that was made and removed is an
    /// attribute change. Writes through a memory mapping, and changes by other machines on a
    /// network file system, are not reported.
    public struct FileSystemEvent: OptionSet, Sendable {
        public let rawValue: UInt

        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// The last name of the object was removed, or another file replaced it. The descriptor
        /// stays valid. For a directory the process must be allowed to read the parent directory.
        public static let delete = FileSystemEvent(rawValue: 0x1)
        /// The content changed, also by truncation; or an entry of the directory was created,
        /// removed or renamed.
        public static let write = FileSystemEvent(rawValue: 0x2)
        /// The size grew. Files only.
        public static let extend = FileSystemEvent(rawValue: 0x4)
        /// Owner, mode, times or extended attributes were set.
        public static let attrib = FileSystemEvent(rawValue: 0x8)
        /// The number of names changed, and one is left; or the number of a directory's
        /// subdirectories changed.
        public static let link = FileSystemEvent(rawValue: 0x10)
        /// One of the object's names changed, or the directory it is in.
        public static let rename = FileSystemEvent(rawValue: 0x20)
        /// The file system was unmounted. Rare: Linux unmounts no file system with an open
        /// descriptor, and an `umount --lazy` leaves the descriptor working.
        public static let revoke = FileSystemEvent(rawValue: 0x40)
        /// A lock was released. Linux does not report it: a source with this in its mask traps.
        public static let funlock = FileSystemEvent(rawValue: 0x100)

        /// All but `funlock`.
        public static let all: FileSystemEvent = [
            .delete, .write, .extend, .attrib, .link, .rename, .revoke,
        ]
    }
}
