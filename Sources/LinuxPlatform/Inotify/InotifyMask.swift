internal import Glibc

/// The bits of inotify(7) that name what can happen to a watched file. Inlinable, because each
/// event is tested for several of them.
@frozen
@usableFromInline
package struct InotifyMask: OptionSet, Sendable {
    @usableFromInline package var rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    @inlinable package static var modified: InotifyMask { InotifyMask(rawValue: 0x0000_0002) }
    @inlinable package static var attributes: InotifyMask { InotifyMask(rawValue: 0x0000_0004) }
    /// To entries of a watched directory.
    @inlinable package static var movedFrom: InotifyMask { InotifyMask(rawValue: 0x0000_0040) }
    @inlinable package static var movedTo: InotifyMask { InotifyMask(rawValue: 0x0000_0080) }
    @inlinable package static var created: InotifyMask { InotifyMask(rawValue: 0x0000_0100) }
    @inlinable package static var deleted: InotifyMask { InotifyMask(rawValue: 0x0000_0200) }
    /// To the watched file.
    @inlinable package static var selfDeleted: InotifyMask { InotifyMask(rawValue: 0x0000_0400) }
    @inlinable package static var selfMoved: InotifyMask { InotifyMask(rawValue: 0x0000_0800) }
    /// These come whether asked for or not.
    @inlinable package static var unmounted: InotifyMask { InotifyMask(rawValue: 0x0000_2000) }
    @inlinable package static var overflowed: InotifyMask { InotifyMask(rawValue: 0x0000_4000) }
    @inlinable package static var ended: InotifyMask { InotifyMask(rawValue: 0x0000_8000) }
    /// With the others: it happened to a directory.
    @inlinable package static var isDirectory: InotifyMask { InotifyMask(rawValue: 0x4000_0000) }

    @inlinable package static var entries: InotifyMask { InotifyMask(rawValue: 0x0000_03c0) }
    /// The file is compared with its last status.
    @inlinable package static var ofLinks: InotifyMask { InotifyMask(rawValue: 0x0000_0404) }
}

extension InotifyMask {
    /// Asked for with a folder's watch: all events of its entries, and its own end; nothing
    /// of entries that have no name any more, and nothing at all if it is not a folder.
    package static var ofFolder: InotifyMask {
        let flags = InotifyMask(rawValue: UInt32(IN_ONLYDIR) | UInt32(IN_EXCL_UNLINK))
        return [.entries, .modified, .attributes, .selfDeleted, .selfMoved, flags]
    }

    /// Asked for with the watch of a folder that holds other watched ones: not what is written to
    /// the files beside them.
    package static var ofRoots: InotifyMask { [.ofNames, .attributes, .selfMoved] }

    /// Asked for with the watch of a folder in which only names matter.
    package static var ofNames: InotifyMask {
        [.entries, .selfDeleted, InotifyMask(rawValue: UInt32(IN_ONLYDIR))]
    }
}
