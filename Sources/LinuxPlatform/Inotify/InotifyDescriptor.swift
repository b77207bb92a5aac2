internal import Glibc

/// An inotify instance of the kernel. inotify(7).
package final class InotifyDescriptor: Inotify {
    package let descriptor: Int32

    /// read(2) fails with EAGAIN where there is no event.
    package init() throws(SystemError) {
        descriptor = try checked("inotify_init1") {
            inotify_init1(Int32(IN_CLOEXEC) | Int32(IN_NONBLOCK))
        }
    }

    package func watch(
        _ place: FilePlace, for mask: InotifyMask, isAdding: Bool
    ) throws(SystemError) -> Int32 {
        var flags = isAdding ? UInt32(IN_MASK_ADD) : 0
        if case .path(_, followsLink: false) = place { flags |= UInt32(IN_DONT_FOLLOW) }
        return try checked("inotify_add_watch") {
            place.withPath { inotify_add_watch(descriptor, $0, mask.rawValue | flags) }
        }
    }

    package func unwatch(_ number: Int32) {
        // Ignore the result: the kernel may have removed the watch already.
        _ = inotify_rm_watch(descriptor, number)
    }

    package func close() {
        _ = Glibc.close(descriptor)
    }
}
