internal import Glibc

extension FileChanges {
    /// Asked for with a folder's watch: all that is told of its entries, and its own end; nothing
    /// of entries that have no name any more, and nothing at all if it is not a folder.
    package static var ofFolder: FileChanges {
        let flags = FileChanges(rawValue: UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK))
        return [.entries, .modified, .attributes, .selfDeleted, .selfMoved, flags]
    }

    /// Asked for with the watch of a folder that holds other watched ones: not what is written to
    /// the files beside them.
    package static var ofRoots: FileChanges { [.ofNames, .attributes, .selfMoved] }

    /// Asked for with the watch of a folder in which only names matter.
    package static var ofNames: FileChanges {
        [.entries, .selfDeleted, FileChanges(rawValue: UInt32(IN_ONLYDIR))]
    }
}
