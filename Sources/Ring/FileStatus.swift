internal import CRing
internal import Glibc

/// What is known about an open file, to be compared with what is known later. statx(2).
package struct FileStatus: Sendable {
    package var mode: UInt32
    package var linkCount: UInt32
    package var owner: UInt32
    package var group: UInt32
    package var size: UInt64
    /// Of the content and of anything; nanoseconds since 1970.
    package var modifiedNanoseconds: Int64
    package var changedNanoseconds: Int64
    /// When this was found out, on the clock that file systems take their times from.
    package var takenNanoseconds: Int64

    /// What this machine knows about the object; a server is not asked. nil: not open.
    package init?(of descriptor: Int32) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        var found = cring_file_status()
        guard cring_file_status(descriptor, &found) == 0 else { return nil }
        mode = found.mode
        linkCount = found.link_count
        owner = found.owner
        group = found.group
        size = found.size
        modifiedNanoseconds = found.modified_nanoseconds
        changedNanoseconds = found.changed_nanoseconds
        takenNanoseconds = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    package var isDirectory: Bool { mode & S_IFMT == S_IFDIR }

    package func isWritten(since old: FileStatus) -> Bool {
        size != old.size || modifiedNanoseconds != old.modifiedNanoseconds
    }

    package func isChanged(since old: FileStatus) -> Bool {
        changedNanoseconds != old.changedNanoseconds
    }

    /// Whether the content, or anything, may have changed since without a later time of change:
    /// file systems count time in ticks of the kernel's clock.
    package var isFreshlyModified: Bool { isWithinTick(modifiedNanoseconds) }
    package var isFreshlyChanged: Bool { isWithinTick(changedNanoseconds) }

    private func isWithinTick(_ time: Int64) -> Bool {
        time > takenNanoseconds - FileStatus.longestTickNanoseconds
    }

    private static let longestTickNanoseconds: Int64 = 10_000_000
}

/// Where a descriptor leads to.
package enum FilePlace {
    /// The object itself.
    case object(descriptor: Int32)
    /// The directory that holds the name of an open directory.
    case parent(ofDirectory: Int32)

    /// A path that leads to the very object, whatever its name is by now. The thread's own folder,
    /// because the process's one is empty once the main thread has ended.
    package var path: String {
        switch self {
        case .object(let descriptor): "/proc/thread-self/fd/\(descriptor)"
        case .parent(let descriptor): "/proc/thread-self/fd/\(descriptor)/.."
        }
    }

    /// Whether /proc can be used at all.
    package static var canBeNamed: Bool { access("/proc/thread-self/fd", F_OK) == 0 }
}

extension Descriptors {
    /// The name that the kernel knows for what a descriptor refers to; nil without /proc.
    package static func name(of descriptor: Int32) -> String? {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let path = FilePlace.object(descriptor: descriptor).path
        let count = readlink(path, &bytes, bytes.count)
        guard count >= 0 else { return nil }
        let name = bytes.prefix(count).map(UInt8.init(bitPattern:))
        return String(decoding: name, as: UTF8.self)
    }

    /// A descriptor of what a path leads to, symbolic links followed, that can neither read nor
    /// write it (O_PATH).
    package static func openPlace(path: String) throws(KernelError) -> Int32 {
        guard !path.utf8.contains(0) else { throw KernelError(call: "open", code: EINVAL) }
        while true {
            let result = cring_open_place(path)
            if result >= 0 { return result }
            if result != -EINTR { throw KernelError(call: "open", code: -result) }
        }
    }

    /// Whether the process may read what the descriptor refers to; the refusal's `errno` if not.
    package static func refusalToRead(_ descriptor: Int32) -> Int32? {
        let path = FilePlace.object(descriptor: descriptor).path
        return faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0 ? nil : errno
    }
}
