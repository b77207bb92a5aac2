internal import CLinux
internal import Glibc

extension Descriptors {
    /// The kernel's name for the object behind a descriptor (readlink of /proc/.../fd); nil without
    /// /proc.
    package static func name(of descriptor: Int32) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = FilePlace.object(descriptor: descriptor).withPath {
            readlink($0, &bytes, bytes.count)
        }
        guard count >= 0 else { return nil }
        let name = bytes.prefix(count).map(UInt8.init(bitPattern:))
        return String(decoding: name, as: UTF8.self)
    }

    /// The file position (lseek(2)); nil if the descriptor has none.
    package static func position(_ descriptor: Int32) -> Int64? {
        advancePosition(descriptor, by: 0)
    }

    /// Moves the file position. Returns the new one; nil if the descriptor cannot have it.
    package static func advancePosition(_ descriptor: Int32, by count: Int) -> Int64? {
        let position = lseek(descriptor, count, SEEK_CUR)
        return position < 0 ? nil : Int64(position)
    }

    package static func setPosition(_ descriptor: Int32, to position: Int64) {
        _ = lseek(descriptor, Int(position), SEEK_SET)
    }

    /// Whether all writes go to the end of the file (O_APPEND).
    package static func appends(_ descriptor: Int32) -> Bool {
        fcntl(descriptor, F_GETFL) & O_APPEND != 0
    }

    /// Duplicates a descriptor, with FD_CLOEXEC set. Returns the new descriptor or a negated errno.
    package static func duplicate(_ descriptor: Int32) -> Int32 {
        let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        return copy >= 0 ? copy : -errno
    }

    /// Opens a path with O_PATH, following symbolic links. The descriptor can neither read nor
    /// write.
    package static func openPlace(path: String) throws(SystemError) -> Int32 {
        guard !path.utf8.contains(0) else { throw SystemError(call: "open", code: EINVAL) }
        return try checked("open") { open(path, Int32(CLINUX_OPEN_PATH) | O_CLOEXEC) }
    }

    /// nil if the process may read the descriptor's object; otherwise the `errno` of the refusal.
    package static func refusalToRead(_ descriptor: Int32) -> Int32? {
        FilePlace.object(descriptor: descriptor).withPath { path in
            faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 ? nil : errno
        }
    }
}
