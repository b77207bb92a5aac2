internal import Glibc

/// Reads small files of /proc and /sys, and writes small files.
package enum SystemFile {
    /// The first line, without its line feed; nil when the file cannot be read.
    package static func firstLine(of path: String) -> String? {
        guard let text = contents(of: path), !text.isEmpty else { return nil }
        let end = text.utf8.firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
        return String(text[..<end])
    }

    /// The first bytes of a file; nil when it cannot be read.
    package static func contents(of path: String, limit: Int = 65_536) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let owned = OwnedDescriptor(adopting: descriptor)
        return bytes(of: owned.number, limit: limit).map { String(decoding: $0, as: UTF8.self) }
    }

    /// The absolute path without symbolic links; the path itself if nothing is there. realpath(3).
    package static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Replaces the contents of a file, or creates it.
    package static func write(_ text: String, to path: String) throws(SystemError) {
        let flags = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC
        let owned = OwnedDescriptor(
            adopting: try checked("open") { open(path, flags, 0o666) })
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = try checked("write") {
                Int32(rest.withUnsafeBytes { Glibc.write(owned.number, $0.baseAddress, $0.count) })
            }
            rest = rest.dropFirst(Int(count))
        }
    }

    /// At most about `limit` bytes of an open file; nil when it cannot be read.
    static func bytes(of descriptor: Int32, limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < limit {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 { return nil }
            if count == 0 { break }
            bytes.append(contentsOf: buffer[..<count])
        }
        return bytes
    }
}
