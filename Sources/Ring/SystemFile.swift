internal import Glibc

/// Small files of /proc and /sys.
package enum SystemFile {
    /// The first line, without its line feed; nil when the file cannot be read.
    package static func firstLine(of path: String) -> String? {
        guard let text = contents(of: path), !text.isEmpty else { return nil }
        let end = text.utf8.firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
        return String(text[..<end])
    }

    /// Up to 64 KiB of a file; nil when it cannot be read.
    package static func contents(of path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let owned = OwnedDescriptor(adopting: descriptor)
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 65_536 {
            let count = read(owned.number, &chunk, chunk.count)
            if count <= 0 { break }
            bytes.append(contentsOf: chunk[..<count])
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
