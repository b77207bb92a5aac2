import Glibc
import LoadTesting
import SampleSupport
import SystemPackage

/// A file that appears complete or not at all: it is written under a temporary name, then renamed.
/// The temporary file exists only for a moment, so that a run that is killed leaves none behind.
final class ReportFile {
    private let option: String
    private let path: String
    private let content: (LoadReport) -> String
    /// The path of the file itself: a symbolic link keeps its place.
    private let filePath: String
    private let temporaryPath: String

    /// Proves before the run that the report can be written.
    /// - Parameters:
    ///   - option: the command line option that names the file, such as `--json`.
    ///   - content: what is written.
    init(_ option: String, path: String, content: @escaping (LoadReport) -> String) throws {
        self.option = option
        self.content = content
        var status = stat()
        if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
            throw Failure("\(option) \(path): exists and is not a regular file; give another name")
        }
        self.path = path
        filePath = Self.target(of: path)
        temporaryPath = "\(filePath).\(getpid()).tmp"
        close(try create())
        unlink(temporaryPath)
    }

    func commit(_ report: LoadReport) throws {
        let descriptor = try create()
        defer { close(descriptor) }
        do {
            try write(content(report), to: descriptor)
        } catch {
            unlink(temporaryPath)
            throw error
        }
    }

    private func write(_ text: String, to descriptor: Int32) throws {
        do {
            try FileDescriptor(rawValue: descriptor).writeAll(text.utf8)
        } catch let error as Errno {
            throw failure("writing failed", error)
        }
        if fsync(descriptor) != 0 { throw failure("writing failed") }
        if rename(temporaryPath, filePath) != 0 { throw failure("cannot be renamed") }
    }

    private func create() throws -> Int32 {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC
        let descriptor = open(temporaryPath, flags, 0o644)
        if descriptor < 0 { throw failure("cannot be written") }
        return descriptor
    }

    /// What symbolic links lead to; the path itself if there is no such file yet. realpath(3).
    private static func target(of path: String) -> String {
        guard let target = realpath(path, nil) else { return path }
        defer { free(target) }
        return String(cString: target)
    }

    private func failure(_ what: String, _ cause: Errno = Errno(rawValue: errno)) -> Failure {
        let remedy =
            switch cause {
            case .permissionDenied, .notPermitted: "; check the folder's permissions"
            case .noSuchFileOrDirectory: "; create its folder"
            case .noSpace, .diskQuotaExceeded: "; make room, or name a file on another disk"
            case .readOnlyFileSystem: "; name a file elsewhere"
            default: ""
            }
        return Failure("\(option) \(path): \(what) (\(cause))\(remedy)")
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
