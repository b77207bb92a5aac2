internal import LinuxPlatform
internal import RingDispatch
internal import SystemPackage

extension SystemError {
    /// Whether nothing is at the path. Other errors do not say so.
    var isAbsence: Bool {
        [ErrorCode.noEntry, ErrorCode.notDirectory, ErrorCode.tooManyLinks].contains(code)
    }
}

extension FileTreeError {
    /// - Parameter text: continues the sentence after the path.
    private init(_ reason: Reason, _ path: FilePath, _ code: Int32?, _ text: String) {
        let shown = String(shown: path.terminatedBytes.dropLast())
        self.init(
            reason: reason, path: path, code: code.map { ErrorNumber(rawValue: $0) },
            description: "'\(shown)' \(text)")
    }

    private static func failure(_ error: SystemError) -> String {
        "\(error.call) failed: \(SystemError.text(of: error.code))"
    }

    /// A root or folder could not be examined, or `inotify_add_watch` failed.
    /// - Parameter isRepeated: a folder's scan lacked a descriptor or memory, and is repeated.
    init(watching path: FilePath, _ error: SystemError, isRepeated: Bool = false) {
        let (reason, cause): (Reason, String) =
            switch error.code {
            case ErrorCode.noEntry, ErrorCode.notDirectory:
                (.notFound, "there is no such file or folder")
            case ErrorCode.access, ErrorCode.notPermitted:
                (.accessDenied, "the process may not read it; give it the permission")
            case ErrorCode.noSpace:
                (.watchLimit, "\(InotifyLimit.watches.remedy); other folders may be affected, too")
            case ErrorCode.processDescriptors, ErrorCode.systemDescriptors:
                (.descriptorLimit, ErrorCode.descriptorRemedy(error.code))
            default:
                (.other, FileTreeError.failure(error))
            }
        let effect = isRepeated ? "is scanned later" : "cannot be watched"
        self.init(reason, path, error.code, "\(effect): \(cause)")
    }

    /// A folder is listed by the folder that holds it, but cannot be opened.
    init(unreachable path: FilePath, _ error: SystemError) {
        let remedy =
            error.code == ErrorCode.tooManyLinks
            ? "symbolic links lead to it, and the kernel follows no more of them in a path; "
                + "watch it by a path of its own"
            : "see whether what is mounted there answers"
        let text = SystemError.text(of: error.code)
        self.init(
            .other, path, error.code, "is listed, but cannot be opened (\(text)); \(remedy)")
    }

    /// An inotify instance could not be made, or not be read.
    init(instanceFor path: FilePath, _ error: SystemError) {
        let (reason, remedy): (Reason, String) =
            if InotifyLimit.isInstanceShortage(error.code) {
                (.instanceLimit, "; \(InotifyLimit.instances.remedy)")
            } else if ErrorCode.isDescriptorShortage(error.code) {
                (.descriptorLimit, "; \(ErrorCode.descriptorRemedy(error.code))")
            } else {
                (.other, "")
            }
        self.init(
            reason, path, error.code,
            "cannot be watched: \(FileTreeError.failure(error))\(remedy)")
    }

    init(withoutProc path: FilePath) {
        self.init(
            .other, path, ErrorCode.noEntry,
            "cannot be watched: /proc/thread-self/fd is missing, so that other folders are not "
                + "watched, either; " + FilePlace.procRemedy)
    }

    init(sharedAt path: FilePath, _ type: String, _ interval: DispatchTimeInterval) {
        let remedy =
            interval == .never
            ? "set a poll interval"
            : "its folders are compared with the disk at the poll interval, so these changes are "
                + "late"
        self.init(
            .sharedFileSystem, path, nil,
            "is a file system of the type \(type), on which the kernel does not report what others "
                + "change: \(remedy)")
    }

    init(queueOverflowOf path: FilePath) {
        self.init(
            .queueLimit, path, nil,
            "has lost events: \(InotifyLimit.queuedEvents.remedy); all folders are now compared "
                + "with what was known of them")
    }
}
