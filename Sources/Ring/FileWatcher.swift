/// Tells about changes of the files that it is asked to watch: inotify(7), or a stand-in for tests.
///
/// A file has one watch, by whatever name or descriptor it is asked for.
package protocol FileWatcher: AnyObject, Sendable {
    /// Readable when events wait; `FileEvents` reads them.
    var descriptor: Int32 { get }

    /// Watches a file, and gives its watch's number.
    /// - Parameter isAdding: for what the file is watched already, too; else for `changes` only.
    func watch(
        _ place: FilePlace, for changes: FileChanges, isAdding: Bool
    ) throws(KernelError) -> Int32

    /// Ends a watch. Events that happened before may still be read, under a number that is not
    /// given again; the last one is `ended`, so that a reader that sleeps wakes up.
    func unwatch(_ number: Int32)

    /// Gives the descriptor back. Nothing else may be called any more.
    func close()
}

/// What can happen to a watched file: the bits of inotify(7). Inlinable, because all that an event
/// costs is tests of these.
@frozen
@usableFromInline
package struct FileChanges: OptionSet, Sendable {
    @usableFromInline package var rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    @inlinable package static var modified: FileChanges { FileChanges(rawValue: 0x0000_0002) }
    @inlinable package static var attributes: FileChanges { FileChanges(rawValue: 0x0000_0004) }
    /// To entries of a watched directory.
    @inlinable package static var movedFrom: FileChanges { FileChanges(rawValue: 0x0000_0040) }
    @inlinable package static var movedTo: FileChanges { FileChanges(rawValue: 0x0000_0080) }
    @inlinable package static var created: FileChanges { FileChanges(rawValue: 0x0000_0100) }
    @inlinable package static var deleted: FileChanges { FileChanges(rawValue: 0x0000_0200) }
    /// To the watched file.
    @inlinable package static var selfDeleted: FileChanges { FileChanges(rawValue: 0x0000_0400) }
    @inlinable package static var selfMoved: FileChanges { FileChanges(rawValue: 0x0000_0800) }
    /// These come whether asked for or not.
    @inlinable package static var unmounted: FileChanges { FileChanges(rawValue: 0x0000_2000) }
    @inlinable package static var overflowed: FileChanges { FileChanges(rawValue: 0x0000_4000) }
    @inlinable package static var ended: FileChanges { FileChanges(rawValue: 0x0000_8000) }
    /// With the others: it happened to a directory.
    @inlinable package static var isDirectory: FileChanges { FileChanges(rawValue: 0x4000_0000) }

    @inlinable package static var entries: FileChanges { FileChanges(rawValue: 0x0000_03c0) }
    /// What a look at the file has to explain.
    @inlinable package static var ofLinks: FileChanges { FileChanges(rawValue: 0x0000_0404) }
}

/// One event of a watcher.
@frozen
@usableFromInline
package struct FileEvent: Equatable, Sendable {
    /// The watch's number; -1: the watcher's queue overflowed.
    @usableFromInline package var watch: Int32
    @usableFromInline package var changes: FileChanges
    /// The same for both ends of one rename; otherwise 0.
    @usableFromInline package var cookie: UInt32
    /// It happened to an entry of the watched directory, not to the directory itself.
    @usableFromInline package var isOfEntry: Bool

    @inlinable
    package init(watch: Int32, changes: FileChanges, cookie: UInt32, isOfEntry: Bool) {
        self.watch = watch
        self.changes = changes
        self.cookie = cookie
        self.isOfEntry = isOfEntry
    }
}
