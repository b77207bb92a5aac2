import Glibc
@testable import RingDispatch
import LinuxPlatform
import Testing

/// Why no source can be made for the path.
private func error(ofPath path: String) -> FileSystemWatchError? {
    do {
        _ = try DispatchSource.makeFileSystemObjectSource(path: path, eventMask: .all)
        return nil
    } catch {
        return error as? FileSystemWatchError
    }
}

/// The error that a source for the descriptor reports.
private func reportedError(of descriptor: Int32) -> FileSystemWatchError? {
    let error = Watched<FileSystemWatchError?>(nil)
    let source = DispatchSource.makeFileSystemObjectSource(
        fileDescriptor: descriptor, eventMask: .all)
    source.start { error.update { $0 = source.error } }
    _ = error.wait(seconds: Patience.seconds) { $0 != nil }
    return error.value
}

@Suite("What keeps a file from being watched", .watchdog)
struct FileSystemErrorTests {
    /// Creates a source of `watches` for a descriptor's file, and records its handlers' calls.
    private func failure(
        of descriptor: Int32, _ watches: FileSystemWatches = .shared,
        sourceLocation: SourceLocation = #_sourceLocation
    ) -> FileSystemWatchError? {
        let queue = DispatchQueue(label: "test.refused")
        let source = FileSystemSourceObject(
            core: FileSystemSource(
                descriptor: descriptor, mask: .all, queue: queue, watches: watches))
        let cancelled = watchCancel(of: source)
        let calls = Watched<[(isEmpty: Bool, error: FileSystemWatchError?)]>([])
        source.setEventHandler { [unowned source] in
            calls.append((source.mask == 0 || source.data == 0, source.error))
        }
        let registered = Watched<FileSystemWatchError?>(nil)
        source.setRegistrationHandler { [unowned source] in
            registered.update { $0 = source.error }
        }
        source.activate()
        expectEventually(calls, sourceLocation: sourceLocation) { !$0.isEmpty }
        drain(queue)
        #expect(calls.value.count == 1 && calls.value[0].isEmpty, sourceLocation: sourceLocation)
        #expect(registered.value == calls.value[0].error, sourceLocation: sourceLocation)
        finish(source, cancelled, sourceLocation: sourceLocation)
        return calls.value[0].error
    }

    private func limit(_ name: String) -> String {
        SystemFile.firstLine(of: "/proc/sys/fs/inotify/\(name)") ?? "?"
    }

    private func withFile(_ body: (Int32) -> Void) {
        let folder = Folder()
        let descriptor = open(folder.makeFile("file"), O_RDONLY | O_CLOEXEC)
        body(descriptor)
        close(descriptor)
    }

    @Test("The limit of watches: the handler learns which limit, and its value")
    func watchLimit() {
        let inotify = ScriptedInotify()
        let watches = FileSystemWatches { inotify }
        inotify.refusals.append(ENOSPC)
        withFile { descriptor in
            let error = failure(of: descriptor, watches)
            #expect(error?.reason == .watchLimit && error?.code == .noSpace)
            let text = error?.description ?? ""
            #expect(text.contains("max_user_watches = \(limit("max_user_watches"))"), "\(text)")
        }
        expectEventually(inotify.isClosed) { $0 }
    }

    @Test("The limit of instances")
    func instanceLimit() {
        let watches = FileSystemWatches { () throws(SystemError) in
            throw SystemError(call: "inotify_init1", code: EMFILE)
        }
        withFile { descriptor in
            let error = failure(of: descriptor, watches)
            #expect(error?.reason == .instanceLimit && error?.code == .tooManyOpenFiles)
            let text = error?.description ?? ""
            #expect(
                text.contains("max_user_instances = \(limit("max_user_instances"))"), "\(text)")
        }
    }

    @Test("A source that is refused does not disturb the others")
    func othersGoOn() {
        let inotify = ScriptedInotify()
        let watches = FileSystemWatches { inotify }
        let folder = Folder()
        let observer = FileObserver(folder.makeFile("file"), .write, watches: watches)
        inotify.refusals.append(ENOSPC)
        withFile { #expect(failure(of: $0, watches)?.reason == .watchLimit) }
        // A directory is given up entirely if its parent's watch is refused.
        inotify.refusals.update { $0 = [0, ENOSPC] }
        let directory = open(folder.path, O_RDONLY | O_CLOEXEC)
        #expect(failure(of: directory, watches)?.reason == .watchLimit)
        close(directory)
        #expect(inotify.watches.value.count == 1)
        inotify.send((1, .modified))
        expectEventually(observer.calls) { $0 == [.write] }
        observer.end()
        expectEventually(inotify.isClosed) { $0 }
    }

    @Test("A parent directory that may not be read hides the removal only")
    func unreadableParent() {
        let inotify = ScriptedInotify()
        let watches = FileSystemWatches { inotify }
        let folder = Folder()
        inotify.refusals.update { $0 = [0, EACCES] }
        let observer = FileObserver(folder.path, watches: watches)
        inotify.send((1, [.attributes, .isDirectory]))
        expectEventually(observer.calls) { $0 == [.attrib] }
        #expect(observer.source.error == nil)
        observer.end()
        expectEventually(inotify.isClosed) { $0 }
    }

    @Test("What no file system holds is not watchable")
    func notWatchable() {
        var pair: [Int32] = [-1, -1]
        pipe(&pair)
        let memory = makeMemoryFile()
        let socket = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        for descriptor in [pair[0], pair[1], memory, socket] {
            let error = failure(of: descriptor)
            #expect(error?.reason == .notWatchable)
            #expect(error?.description.contains("descriptor \(descriptor)") == true)
            close(descriptor)
        }
    }

    @Test("A descriptor that is closed before the source is activated")
    func closedEarly() {
        withFile { descriptor in
            // A number that no other test gets; it is closed when it is used.
            let high = fcntl(descriptor, F_DUPFD_CLOEXEC, 950)
            let source = DispatchSource.makeFileSystemObjectSource(
                fileDescriptor: high, eventMask: .all)
            let cancelled = watchCancel(of: source)
            close(high)
            let error = Watched<FileSystemWatchError?>(nil)
            source.setEventHandler { [unowned source] in error.update { $0 = source.error } }
            source.activate()
            expectEventually(error) { $0?.code == .badFileDescriptor }
            finish(source, cancelled)
        }
    }

    /// memfd_create(2), which is not imported.
    private func makeMemoryFile() -> Int32 {
        typealias Create = @convention(c) (UnsafePointer<CChar>, UInt32) -> Int32
        let create = unsafeBitCast(dlsym(nil, "memfd_create"), to: Create.self)
        return create("ringdispatch-test", 0)
    }

    @Test("A path that cannot be opened")
    func paths() {
        let folder = Folder()
        folder.makeFile("file")
        symlink("circle", folder("circle"))
        let cases: [(String, FileSystemWatchError.Reason, Int32)] = [
            ("missing", .notFound, ENOENT), ("file/inner", .notFound, ENOTDIR),
            ("circle", .invalidPath, ELOOP), ("file\0", .invalidPath, EINVAL),
            (String(repeating: "n", count: 300), .invalidPath, ENAMETOOLONG),
        ]
        for (name, reason, code) in cases {
            let error = error(ofPath: folder(name))
            #expect(error?.reason == reason && error?.code.rawValue == code)
            #expect(error?.description.contains(folder.path) == true)
        }
    }

    @Test("A file that may not be read, and a directory that may not be searched")
    func permissions() async {
        let folder = Folder()
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            prepareForTrap()
            let folder = Folder(borrowing: path)
            chmod(folder.path, 0o755)
            let file = folder.makeFile("file")
            let inner = folder.makeFile(folder.makeDirectory("closed").isEmpty ? "" : "closed/file")
            for path in [file, folder("closed")] { chmod(path, 0) }
            // An arbitrary user other than root.
            if getuid() == 0 { setuid(65_534) }
            endProcess(
                succeedingIf: [file, inner].allSatisfy {
                    error(ofPath: $0)?.reason == .accessDenied
                })
        }
    }

    @Test("A lack of descriptors is reported as such, not as inotify's limit")
    func descriptorLimit() async {
        let folder = Folder()
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            prepareForTrap()
            let folder = Folder(borrowing: path)
            let file = folder.makeFile("file")
            dup2(open(folder.makeFile("words"), O_WRONLY), STDERR_FILENO)
            // The library has opened its own descriptors before they run out.
            FileObserver(file).end()
            letTasksHaveTheirDescriptors()
            let descriptor = open(file, O_RDONLY)
            _ = poll { !openDescriptors().contains { $0.contains("inotify") } }
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            limit.rlim_cur = 256
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            while open("/dev/null", O_RDONLY) >= 0 {}
            endProcess(
                succeedingIf: reportedError(of: descriptor)?.reason == .descriptorLimit
                    && error(ofPath: file)?.reason == .descriptorLimit)
        }
        // The child's messages.
        let words = contents(ofFile: folder("words")) ?? ""
        #expect(words.split(separator: "\n").count { !$0.contains("back end") } == 1, "\(words)")
    }

    /// Whether this process may make another directory its root: CAP_SYS_CHROOT, number 18.
    private static let mayChangeRoot =
        processStatus("CapEff").flatMap { UInt64($0, radix: 16) }.map { $0 & 1 << 18 != 0 } ?? false

    @Test(
        "Without /proc the error says so",
        .enabled(if: mayChangeRoot, "chroot(2), which hides /proc, is not permitted"))
    func noProc() async {
        let folder = Folder()
        await #expect(processExitsWith: .success) { [path = folder.path as String] in
            prepareForTrap()
            let folder = Folder(borrowing: path)
            let file = folder.makeFile("file")
            FileObserver(file).end()
            guard chroot(folder.path) == 0 else { endProcess(succeedingIf: false) }
            endProcess(
                succeedingIf: reportedError(of: open("/file", O_RDONLY))?.reason == .procUnavailable
                    && error(ofPath: "/file")?.reason == .procUnavailable)
        }
    }
}
