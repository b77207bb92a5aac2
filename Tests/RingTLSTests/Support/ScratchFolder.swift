#if TLS
import Glibc

/// A directory for a test's files, removed when the last reference goes.
final class ScratchFolder {
    let path: String
    private var names: [String] = []

    init() {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/ringtls-test-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no folder in \(parent): errno \(errno)")
        path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    deinit {
        for name in names { unlink("\(path)/\(name)") }
        rmdir(path)
    }

    /// Writes a file, in the place of one that is there, and gives its path.
    @discardableResult
    func write(_ name: String, _ bytes: [UInt8]) -> String {
        let path = "\(self.path)/\(name)"
        let file = open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
        precondition(file >= 0, "\(path): errno \(errno)")
        let count = Glibc.write(file, bytes, bytes.count)
        precondition(count == bytes.count, "\(path): errno \(errno)")
        close(file)
        if !names.contains(name) { names.append(name) }
        return path
    }
}
#endif
