internal import Glibc

/// Event bits of inotify(7). Inlinable, because each event is tested for several of them.
@frozen
@usableFromInline
package struct InotifyMask: OptionSet, Sendable {
    @usableFromInline package var rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    @inlinable package static var modified: InotifyMask { InotifyMask(rawValue: 0x0000_0002) }
    @inlinable package static var attributes: InotifyMask { InotifyMask(rawValue: 0x0000_0004) }
    /// About entries of a watched directory.
    @inlinable package static var movedFrom: InotifyMask { InotifyMask(rawValue: 0x0000_0040) }
    @inlinable package static var movedTo: InotifyMask { InotifyMask(rawValue: 0x0000_0080) }
    @inlinable package static var created: InotifyMask { InotifyMask(rawValue: 0x0000_0100) }
    @inlinable package static var deleted: InotifyMask { InotifyMask(rawValue: 0x0000_0200) }
    /// About the watched file itself.
    @inlinable package static var selfDeleted: InotifyMask { InotifyMask(rawValue: 0x0000_0400) }
    @inlinable package static var selfMoved: InotifyMask { InotifyMask(rawValue: 0x0000_0800) }
    /// Reported regardless of the mask.
    @inlinable package static var unmounted: InotifyMask { InotifyMask(rawValue: 0x0000_2000) }
    @inlinable package static var overflowed: InotifyMask { InotifyMask(rawValue: 0x0000_4000) }
    @inlinable package static var ended: InotifyMask { InotifyMask(rawValue: 0x0000_8000) }
    /// Set in addition: the event is about a directory.
    @inlinable package static var isDirectory: InotifyMask { InotifyMask(rawValue: 0x4000_0000) }

    @inlinable package static var entries: InotifyMask { InotifyMask(rawValue: 0x0000_03c0) }
    /// Events after which the file is compared with its last status.
    @inlinable package static var ofLinks: InotifyMask { InotifyMask(rawValue: 0x0000_0404) }
}

extension InotifyMask {
    /// Mask of a folder's watch: all events of its entries, and its own removal and moves.
    /// IN_EXCL_UNLINK leaves out unlinked entries; IN_ONLYDIR refuses anything but a folder.
    package static var ofFolder: InotifyMask {
        let flags = InotifyMask(rawValue: UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK))
        return [.entries, .modified, .attributes, .selfDeleted, .selfMoved, flags]
    }

    /// Mask of a file's own watch.
    package static var ofFile: InotifyMask { [.modified, .attributes, .selfDeleted, .selfMoved] }

    /// Mask of a folder that contains watched roots: without the writes to other files in it.
    package static var ofRoots: InotifyMask { [.ofNames, .attributes, .selfMoved] }

    /// Mask of a folder of which only the names of its entries matter.
    package static var ofNames: InotifyMask {
        [.entries, .selfDeleted, InotifyMask(rawValue: UInt32(IN_ONLYDIR))]
    }
}
