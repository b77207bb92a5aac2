/// An inotify instance: the kernel's (`InotifyDescriptor`), or a test's.
///
/// A file has one watch, whatever name or descriptor it is watched by.
package protocol Inotify: AnyObject, Sendable {
    /// Readable when events wait; `InotifyEventBuffer` reads them.
    var descriptor: Int32 { get }

    /// Watches a file, and gives its watch's number.
    /// - Parameter isAdding: for what the file is watched already, too; else for `changes` only.
    func watch(
        _ place: FilePlace, for mask: InotifyMask, isAdding: Bool
    ) throws(SystemError) -> Int32

    /// Ends a watch. Events that happened before may still be read, under a number that is not
    /// given again; the last one is `ended`, so that a reader that sleeps wakes up.
    func unwatch(_ number: Int32)

    /// Gives the descriptor back. Nothing else may be called any more.
    func close()
}
