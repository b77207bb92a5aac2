internal import LinuxPlatform

extension FileSystemWatchError {
    private init(_ reason: Reason, call: String, code: Int32, remedy: String?) {
        self.init(
            reason: reason, code: ErrorNumber(rawValue: code),
            description: SystemError(call: call, code: code, remedy: remedy).description)
    }

    /// The path could not be opened.
    init(opening path: String, _ error: SystemError) {
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
                (.descriptorLimit, ErrorCode.descriptorRemedy(error.code))
            default:
                (.other, nil)
            }
        self.init(reason, call: "\(error.call) of '\(path)'", code: error.code, remedy: remedy)
    }

    /// `inotify_init1` failed.
    init(instance error: SystemError) {
        let (reason, remedy): (Reason, String?) =
            switch error.code {
            case let code where InotifyLimit.isInstanceShortage(code):
                (.instanceLimit, InotifyLimit.instances.remedy)
            case ErrorCode.processDescriptors, ErrorCode.systemDescriptors:
                (.descriptorLimit, ErrorCode.descriptorRemedy(error.code))
            default:
                (.other, nil)
            }
        self.init(reason, call: error.call, code: error.code, remedy: remedy)
    }

    /// `inotify_add_watch` failed.
    init(watching name: String, _ error: SystemError) {
        let (reason, remedy): (Reason, String?)
        switch error.code {
        case ErrorCode.access, ErrorCode.notPermitted:
            self.init(unreadable: name, code: error.code)
            return
        case ErrorCode.noEntry where !FilePlace.canBeNamed:
            self.init(withoutProc: error.code)
            return
        case ErrorCode.noEntry:
            (reason, remedy) = (.other, FileSystemWatchError.closedRemedy)
        case ErrorCode.noSpace:
            (reason, remedy) = (.watchLimit, InotifyLimit.watches.remedy)
        default:
            (reason, remedy) = (.other, nil)
        }
        self.init(reason, call: "\(error.call) of '\(name)'", code: error.code, remedy: remedy)
    }

    /// inotify requires read permission on the file, however the descriptor was opened.
    init(unreadable name: String, code: Int32) {
        self.init(
            .accessDenied, call: "watching '\(name)'", code: code,
            remedy: "give the process permission to read it")
    }

    init(closed descriptor: Int32) {
        self.init(
            .other, call: "looking at descriptor \(descriptor)", code: ErrorCode.badDescriptor,
            remedy: FileSystemWatchError.closedRemedy)
    }

    init(withoutProc code: Int32) {
        self.init(
            .procUnavailable, call: "reading /proc/thread-self/fd", code: code,
            remedy: FilePlace.procRemedy)
    }

    init(notWatchable name: String, descriptor: Int32) {
        self.init(
            .notWatchable, call: "watching descriptor \(descriptor), which is '\(name)',",
            code: ErrorCode.invalid,
            remedy: "no file system holds it, so nothing tells of its changes; "
                + "use a read or write source")
    }

    private static let closedRemedy =
        "its descriptor was closed: do that in the cancel handler"
}
