internal import Ring
internal import SystemPackage

/// One of the kernel's limits on inotify.
enum KernelLimit: String {
    case watches = "max_user_watches"
    case instances = "max_user_instances"
    case queuedEvents = "max_queued_events"

    /// The machine's, and the user namespace's, a container's for instance.
    private var keys: [String] {
        switch self {
        case .watches: ["fs.inotify.max_user_watches", "user.max_inotify_watches"]
        case .instances: ["fs.inotify.max_user_instances", "user.max_inotify_instances"]
        case .queuedEvents: ["fs.inotify.max_queued_events"]
        }
    }

    private static func value(_ key: String) -> Int? {
        let path = key.split(separator: ".").joined(separator: "/")
        return SystemFile.firstLine(of: "/proc/sys/\(path)").flatMap { Int($0) }
    }

    /// Names the limit that is the lowest, and says what it is at.
    var remedy: String {
        let found = keys.compactMap { key in KernelLimit.value(key).map { (key, $0) } }
        guard let (key, limit) = found.min(by: { $0.1 < $1.1 }) else {
            return "raise \(keys[0]), which cannot be read here"
        }
        return "\(key) is \(limit); raise it: sysctl \(key)=\(max(1, limit) * 4)"
    }
}

extension FileWatchError {
    /// What to watch could not be looked at, or not be watched.
    init(watching path: FilePath, _ error: KernelError) {
        let call = "\(error.call) of '\(path)'"
        let (reason, text): (Reason, String) =
            switch error.code {
            case ErrorCode.noEntry, ErrorCode.notDirectory:
                (.notFound, "'\(path)' cannot be watched: there is no such file or folder")
            case ErrorCode.access, ErrorCode.notPermitted:
                (
                    .accessDenied,
                    "'\(path)' is not watched: the process may not read it; give it the permission"
                )
            case ErrorCode.noSpace:
                (
                    .watchLimit,
                    "'\(path)', and maybe more, is not watched: the limit on this user's inotify "
                        + "watches is reached; \(KernelLimit.watches.remedy)"
                )
            case ErrorCode.processDescriptors, ErrorCode.systemDescriptors:
                (
                    .descriptorLimit,
                    "\(call) failed: descriptors ran out; raise RLIMIT_NOFILE (ulimit -n)"
                )
            default:
                (.other, "\(call) failed: \(KernelError.text(of: error.code))")
            }
        self.init(reason: reason, path: path, code: error.code, description: text)
    }

    /// A folder is listed by the one that holds it, but cannot be opened.
    init(unreachable path: FilePath, _ error: KernelError) {
        let remedy =
            error.code == ErrorCode.tooManyLinks
            ? "symbolic links lead to it, and the kernel follows no more of them in a path; "
                + "watch it by a path of its own"
            : "see whether what is mounted there answers"
        self.init(
            reason: .other, path: path, code: error.code,
            description: "'\(path)' is not watched: it is listed, but cannot be opened "
                + "(\(KernelError.text(of: error.code))); \(remedy)")
    }

    /// There is no inotify instance to be had.
    init(instanceFor path: FilePath, _ error: KernelError) {
        self.init(
            reason: .instanceLimit, path: path, code: error.code,
            description: "'\(path)' cannot be watched: \(error.call) failed: "
                + "\(KernelError.text(of: error.code)); the limit on this user's inotify instances "
                + "is reached, or descriptors ran out (ulimit -n); "
                + KernelLimit.instances.remedy)
    }

    init(withoutProc path: FilePath) {
        self.init(
            reason: .other, path: path, code: ErrorCode.noEntry,
            description: "'\(path)', and maybe more, is not watched: /proc/thread-self/fd is not "
                + "there; mount /proc: the kernel is told through it what to watch")
    }

    init(queueOverflowOf path: FilePath) {
        self.init(
            reason: .queueLimit, path: path, code: 0,
            description: "events below '\(path)' were lost, because more came than the kernel "
                + "keeps; all folders are compared with what was known of them; "
                + KernelLimit.queuedEvents.remedy)
    }
}
