internal import Glibc

/// The position of an open file.
package enum OpenFile {
    /// The file position (lseek(2)); nil if the descriptor has none.
    package static func position(_ descriptor: Int32) -> Int64? {
        let position = lseek(descriptor, 0, SEEK_CUR)
        return position < 0 ? nil : Int64(position)
    }

    /// Whether all writes go to the end of the file (O_APPEND).
    package static func appends(_ descriptor: Int32) -> Bool {
        fcntl(descriptor, F_GETFL) & O_APPEND != 0
    }

    package static func setPosition(_ descriptor: Int32, to position: Int64) {
        _ = lseek(descriptor, Int(position), SEEK_SET)
    }
}
