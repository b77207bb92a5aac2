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
    /// given again.
    func unwatch(_ number: Int32)

    /// Gives the descriptor back. Nothing else may be called any more.
    func close()
}

/// What can happen to a watched file: the bits of inotify(7).
package struct FileChanges: OptionSet, Sendable {
    package var rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let modified = FileChanges(rawValue: 0x0000_0002)
    package static let attributes = FileChanges(rawValue: 0x0000_0004)
    /// To entries of a watched directory.
    package static let movedFrom = FileChanges(rawValue: 0x0000_0040)
    package static let movedTo = FileChanges(rawValue: 0x0000_0080)
    package static let created = FileChanges(rawValue: 0x0000_0100)
    package static let deleted = FileChanges(rawValue: 0x0000_0200)
    /// To the watched file.
    package static let selfDeleted = FileChanges(rawValue: 0x0000_0400)
    package static let selfMoved = FileChanges(rawValue: 0x0000_0800)
    /// These come whether asked for or not.
    package static let unmounted = FileChanges(rawValue: 0x0000_2000)
    package static let overflowed = FileChanges(rawValue: 0x0000_4000)
    package static let ended = FileChanges(rawValue: 0x0000_8000)
    /// With the others: it happened to a directory.
    package static let isDirectory = FileChanges(rawValue: 0x4000_0000)

    package static let entries: FileChanges = [.movedFrom, .movedTo, .created, .deleted]
}

/// One event of a watcher.
package struct FileEvent: Equatable, Sendable {
    /// The watch's number; -1: the watcher's queue overflowed.
    package var watch: Int32
    package var changes: FileChanges
    /// The same for both ends of one rename; otherwise 0.
    package var cookie: UInt32
    /// It happened to an entry of the watched directory, not to the directory itself.
    package var isOfEntry: Bool
}
