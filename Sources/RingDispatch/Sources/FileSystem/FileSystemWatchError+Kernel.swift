internal import Ring

extension FileSystemWatchError {
    private init(_ reason: Reason, call: String, code: Int32, remedy: String?) {
        let error = KernelError(call: call, code: code, remedy: remedy)
        self.init(reason: reason, code: code, description: error.description)
    }

    /// The path could not be opened.
    init(opening path: String, _ error: KernelError) {
        let (reason, remedy): (Reason, String?) =
            switch error.code {
            case ErrorCode.noEntry, ErrorCode.notDirectory:
                (.notFound, "create it before it is watched")
            case ErrorCode.access, ErrorCode.notPermitted:
                (.accessDenied, "let the process search all directories of the path")
            case ErrorCode.tooManyLinks:
                (.invalidPath, "its symbolic links lead in a circle")
            case ErrorCode.nameTooLong:
                (.invalidPath, "use a shorter path, relative to the current directory")
            case ErrorCode.invalid:
                (.invalidPath, "a path has no byte of value 0")
            case ErrorCode.processDescriptors, ErrorCode.systemDescriptors:
                (.descriptorLimit, FileSystemWatchError.moreDescriptors)
            default:
                (.other, nil)
            }
        self.init(reason, call: "\(error.call) of '\(path)'", code: error.code, remedy: remedy)
    }

    /// `inotify_init1` failed.
    init(instance error: KernelError) {
        let (reason, remedy): (Reason, String?) =
            switch error.code {
            // One errno stands for two limits; only a process that is short of descriptors cannot
            // open a file either.
            case ErrorCode.processDescriptors where InotifyLimit.instances.isReadable:
                (.instanceLimit, InotifyLimit.instances.remedy)
            case ErrorCode.processDescriptors, ErrorCode.systemDescriptors:
                (.descriptorLimit, FileSystemWatchError.moreDescriptors)
            default:
                (.other, nil)
            }
        self.init(reason, call: error.call, code: error.code, remedy: remedy)
    }

    /// The thread that is to read events could not be started.
    init(thread error: KernelError) {
        self.init(reason: .other, code: error.code, description: error.description)
    }

    /// `inotify_add_watch` failed.
    init(watching name: String, _ error: KernelError) {
        switch error.code {
        case ErrorCode.access, ErrorCode.notPermitted:
            self.init(unreadable: name, code: error.code)
        case ErrorCode.noEntry where !FilePlace.canBeNamed:
            self.init(withoutProc: error.code)
        case ErrorCode.noEntry:
            self.init(
                .other, call: "\(error.call) of '\(name)'", code: error.code,
                remedy: "its descriptor was closed: do that in the cancel handler")
        case ErrorCode.noSpace:
            self.init(
                .watchLimit, call: "\(error.call) of '\(name)'", code: error.code,
                remedy: InotifyLimit.watches.remedy)
        default:
            self.init(
                .other, call: "\(error.call) of '\(name)'", code: error.code, remedy: nil)
        }
    }

    /// inotify asks for permission to read, whatever the descriptor was opened for.
    init(unreadable name: String, code: Int32) {
        self.init(
            .accessDenied, call: "watching '\(name)'", code: code,
            remedy: "give the process permission to read it")
    }

    init(closed descriptor: Int32) {
        self.init(
            .other, call: "looking at descriptor \(descriptor)", code: ErrorCode.badDescriptor,
            remedy: "it was closed: do that in the cancel handler")
    }

    init(withoutProc code: Int32) {
        self.init(
            .procUnavailable, call: "reading /proc/thread-self/fd", code: code,
            remedy: "mount /proc: the kernel is told through it what to watch")
    }

    init(notWatchable name: String, descriptor: Int32) {
        self.init(
            .notWatchable, call: "watching descriptor \(descriptor), which is '\(name)',",
            code: ErrorCode.invalid,
            remedy: "no file system holds it, so nothing tells of its changes; "
                + "use a read or write source")
    }

    private static let moreDescriptors = "descriptors ran out; raise RLIMIT_NOFILE (ulimit -n)"
}

/// One of the kernel's limits on what a user has of inotify.
private enum InotifyLimit {
    case instances
    case watches

    /// The machine's.
    private var systemKey: String {
        switch self {
        case .instances: "fs.inotify.max_user_instances"
        case .watches: "fs.inotify.max_user_watches"
        }
    }

    /// The user namespace's, a container's for instance.
    private var namespaceKey: String {
        switch self {
        case .instances: "user.max_inotify_instances"
        case .watches: "user.max_inotify_watches"
        }
    }

    private func value(_ key: String) -> Int? {
        let path = key.split(separator: ".").joined(separator: "/")
        return SystemFile.firstLine(of: "/proc/sys/\(path)").flatMap { Int($0) }
    }

    var isReadable: Bool { value(systemKey) != nil }

    /// Names the lower limit of the two, and says what it is at.
    var remedy: String {
        var key = systemKey
        var limit = value(systemKey)
        if let ours = value(namespaceKey), ours < limit ?? .max {
            key = namespaceKey
            limit = ours
        }
        let number = limit.map(String.init) ?? "unknown"
        return "the limit on this user's inotify \(self) is reached (\(key) = \(number)); "
            + "raise it: sysctl \(key)=\(limit.map { String(max(1, $0) * 4) } ?? "<number>")"
    }
}
