import Glibc
import LoadTesting
import SampleSupport

/// A file that appears complete or not at all: it is written under a temporary name, then renamed.
/// Creating it before the run proves that the report can be written.
final class ReportFile {
    private let option: String
    private let path: String
    private let temporaryPath: String
    private var descriptor: Int32

    /// - Parameter option: the command line option that names the file, such as `--json`.
    init(_ option: String, path: String) throws {
        self.option = option
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw Failure("\(option) \(path): exists and is not a regular file; give another name")
        }
        self.path = path
        temporaryPath = "\(path).\(getpid()).tmp"
        descriptor = open(temporaryPath, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        if descriptor < 0 { throw failure("cannot be written") }
    }

    func commit(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0 { throw failure("writing failed") }
            rest = rest.dropFirst(count)
        }
        if fsync(descriptor) != 0 { throw failure("writing failed") }
        if rename(temporaryPath, path) != 0 { throw failure("cannot be renamed") }
        close(descriptor)
        descriptor = -1
    }

    /// Removes the temporary file, unless it was committed.
    func discard() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
        unlink(temporaryPath)
    }

    private func failure(_ what: String) -> Failure {
        let cause = String(cString: strerror(errno))
        return Failure("\(option) \(path): \(what) (\(cause)); check the folder's permissions")
    }
}

extension ReportFile {
    static func comparison(of before: String, with after: String) throws -> Comparison {
        try Comparison(
            before: text(of: before), named: before, after: text(of: after), named: after)
    }

    private static func text(of path: String) throws -> String {
        if let text = contents(of: path) { return text }
        throw Failure("\(path): cannot be read (\(String(cString: strerror(errno))))")
    }
}
