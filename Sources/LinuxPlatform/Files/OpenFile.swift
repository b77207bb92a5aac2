internal import Glibc

/// The library's calls on a file that transfer nothing.
package enum OpenFile {
    /// lseek(2); nil where there is none.
    package static func position(_ descriptor: Int32) -> Int64? {
        let position = lseek(descriptor, 0, SEEK_CUR)
        return position < 0 ? nil : Int64(position)
    }

    package static func setPosition(_ descriptor: Int32, to position: Int64) {
        _ = lseek(descriptor, Int(position), SEEK_SET)
    }

    /// Clears O_NONBLOCK, which the ring would take as: fail where the file is not in memory.
    package static func makeBlocking(_ descriptor: Int32) {
        let flags = fcntl(descriptor, F_GETFL)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) }
    }

    /// Closes a descriptor of the library's own. close(2).
    package static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }
}
