/// An inotify instance: the kernel's (`InotifyDescriptor`), or a test double.
///
/// An instance has one watch per file, regardless of the names or descriptors that lead to it.
package protocol Inotify: AnyObject, Sendable {
    /// Readable while events are pending; read it with `InotifyEventBuffer`.
    var descriptor: Int32 { get }

    /// Adds a watch for a file, or changes the existing one, and returns its number.
    /// - Parameter isAdding: true adds `mask` to an existing watch (IN_MASK_ADD); false replaces
    ///   its mask.
    func watch(
        _ place: FilePlace, for mask: InotifyMask, isAdding: Bool
    ) throws(SystemError) -> Int32

    /// Removes a watch. Earlier events may still be read under its number, which the kernel does
    /// not reuse. The last event is `ended`, so a reader that sleeps wakes up.
    func unwatch(_ number: Int32)

    /// Closes the descriptor. No other call may follow.
    func close()
}
