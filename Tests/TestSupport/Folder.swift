import Glibc
import Testing

/// A directory for a test's files, removed with all that is in it when the last reference goes.
package final class Folder: Sendable {
    /// Its location: file systems differ in the events that they report.
    package enum Place: String, CaseIterable, CustomTestStringConvertible {
        case temporary = "/tmp"
        case memory = "/dev/shm"

        package var testDescription: String { rawValue }
    }

    package let path: String
    private let isHandedOff: Bool

    package init(_ place: Place = .temporary) {
        var template = Array("\(place.rawValue)/ringdispatch-test-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no folder in \(place.rawValue): errno \(errno)")
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        isHandedOff = false
    }

    /// For a child process, which ends without cleanup: the parent's folder, which the parent
    /// removes.
    package init(borrowing path: String) {
        self.path = path
        isHandedOff = true
    }

    deinit { if !isHandedOff { removeTree(path) } }

    /// The path of an entry.
    package func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Creates a file with these bytes, or overwrites one, and returns its path.
    @discardableResult
    package func makeFile(_ name: String, _ bytes: [UInt8] = []) -> String {
        let descriptor = open(self(name), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
        precondition(descriptor >= 0 && writeAll(bytes, to: descriptor), "errno \(errno)")
        close(descriptor)
        return self(name)
    }

    @discardableResult
    package func makeDirectory(_ name: String) -> String {
        precondition(mkdir(self(name), 0o700) == 0, "errno \(errno)")
        return self(name)
    }
}

/// Removes a directory with all that is in it.
package func removeTree(_ path: String) {
    if let stream = opendir(path) {
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name == "." || name == ".." { continue }
            if unlink("\(path)/\(name)") != 0 { removeTree("\(path)/\(name)") }
        }
    }
    rmdir(path)
}

/// Writes all bytes to a descriptor that may block.
package func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var done = 0
    while done < bytes.count {
        let count = bytes.withUnsafeBytes {
            Glibc.write(descriptor, $0.baseAddress! + done, bytes.count - done)
        }
        if count <= 0 { return false }
        done += count
    }
    return true
}
