import Glibc
import Testing

/// A directory for a test's files, removed with all that is in it when the last reference goes.
final class Folder: Sendable {
    /// Its location: file systems differ in the events that they report.
    enum Place: String, CaseIterable, CustomTestStringConvertible {
        case temporary = "/tmp"
        case memory = "/dev/shm"

        var testDescription: String { rawValue }
    }

    let path: String
    private let isHandedOff: Bool

    init(_ place: Place = .temporary) {
        var template = Array("\(place.rawValue)/ringdispatch-test-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no folder in \(place.rawValue): errno \(errno)")
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        isHandedOff = false
    }

    /// For a child process, which ends without cleanup: the parent's folder, which the parent
    /// removes.
    init(borrowing path: String) {
        self.path = path
        isHandedOff = true
    }

    deinit { if !isHandedOff { removeTree(path) } }

    /// The path of an entry.
    func callAsFunction(_ name: String) -> String { "\(path)/\(name)" }

    /// Creates a file with these bytes, or overwrites one, and returns its path.
    @discardableResult
    func makeFile(_ name: String, _ bytes: [UInt8] = []) -> String {
        let descriptor = open(self(name), O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
        precondition(descriptor >= 0 && writeAll(bytes, to: descriptor), "errno \(errno)")
        close(descriptor)
        return self(name)
    }

    @discardableResult
    func makeDirectory(_ name: String) -> String {
        precondition(mkdir(self(name), 0o700) == 0, "errno \(errno)")
        return self(name)
    }
}

/// Removes a directory with all that is in it.
func removeTree(_ path: String) {
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

/// Adds bytes at the end of a file.
func append(_ count: Int, to path: String) {
    let descriptor = open(path, O_WRONLY | O_APPEND | O_CLOEXEC)
    #expect(descriptor >= 0 && write(count, to: descriptor) == count)
    close(descriptor)
}

/// Overwrites a file's first bytes.
func overwrite(_ count: Int, of path: String) {
    let descriptor = open(path, O_WRONLY | O_CLOEXEC)
    #expect(descriptor >= 0 && write(count, to: descriptor) == count)
    close(descriptor)
}
