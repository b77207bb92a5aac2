/// One event of an inotify instance.
@frozen
@usableFromInline
package struct InotifyEvent: Equatable, Sendable {
    /// The watch's number; -1 if the kernel's queue overflowed.
    @usableFromInline package var watch: Int32
    @usableFromInline package var mask: InotifyMask
    /// Connects the two events of one rename; otherwise 0.
    @usableFromInline package var cookie: UInt32
    /// The event is about an entry of the watched directory, not about the directory itself.
    @usableFromInline package var isOfEntry: Bool

    @inlinable
    package init(watch: Int32, mask: InotifyMask, cookie: UInt32, isOfEntry: Bool) {
        self.watch = watch
        self.mask = mask
        self.cookie = cookie
        self.isOfEntry = isOfEntry
    }
}
