import SystemPackage

/// A file system in memory that is mounted on a new folder, and unmounted with the object.
final class MemoryDisk {
    private let place: FilePath
    let isMounted: Bool

    /// Whether this process may mount file systems.
    static let isAllowed: Bool = {
        let folder = Folder()
        return MemoryDisk(at: folder("disk")).isMounted
    }()

    init(at place: FilePath) {
        self.place = place
        let folder = place.removingLastComponent()
        isMounted =
            Command.run(["mkdir", place.string], in: folder) == 0
            && Command.run(["mount", "-t", "tmpfs", "none", place.string], in: folder) == 0
    }

    deinit {
        if isMounted { _ = Command.run(["umount", "--lazy", place.string], in: "/") }
    }
}
