internal import Glibc

/// The library's calls on a file that transfer no bytes.
package enum OpenFile {
    /// The file position (lseek(2)); nil if the descriptor has none.
    package static func position(_ descriptor: Int32) -> Int64? {
        let position = lseek(descriptor, 0, SEEK_CUR)
        return position < 0 ? nil : Int64(position)
    }

    package static func setPosition(_ descriptor: Int32, to position: Int64) {
        _ = lseek(descriptor, Int(position), SEEK_SET)
    }

    /// Clears O_NONBLOCK: with it, io_uring fails a request whose bytes are not in the page cache.
    package static func makeBlocking(_ descriptor: Int32) {
        let flags = fcntl(descriptor, F_GETFL)
        if flags >= 0 { _ = fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) }
    }

    /// close(2), for descriptors that the library opened.
    package static func close(_ descriptor: Int32) {
        _ = Glibc.close(descriptor)
    }
}
