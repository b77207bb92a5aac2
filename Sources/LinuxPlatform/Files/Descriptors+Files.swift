internal import CLinux
internal import Glibc

extension Descriptors {
    /// The name that the kernel knows for what a descriptor refers to; nil without /proc.
    package static func name(of descriptor: Int32) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let path = FilePlace.object(descriptor: descriptor).path
        let count = readlink(path, &bytes, bytes.count)
        guard count >= 0 else { return nil }
        let name = bytes.prefix(count).map(UInt8.init(bitPattern:))
        return String(decoding: name, as: UTF8.self)
    }

    /// A descriptor of what a path leads to, symbolic links followed, that can neither read nor
    /// write it (O_PATH).
    package static func openPlace(path: String) throws(SystemError) -> Int32 {
        guard !path.utf8.contains(0) else { throw SystemError(call: "open", code: EINVAL) }
        while true {
            let result = clinux_open_place(path)
            if result >= 0 { return result }
            if result != -EINTR { throw SystemError(call: "open", code: -result) }
        }
    }

    /// Whether the process may read what the descriptor refers to; the refusal's `errno` if not.
    package static func refusalToRead(_ descriptor: Int32) -> Int32? {
        let path = FilePlace.object(descriptor: descriptor).path
        return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 ? nil : errno
    }
}
