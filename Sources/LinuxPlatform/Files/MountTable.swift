internal import Glibc

/// The mounts that the process sees. proc_pid_mountinfo(5).
package struct MountTable: Sendable {
    package struct Mount: Sendable, Equatable {
        package let path: String
        /// The type of the file system, such as `ext4` or `fuse.sshfs`.
        package let type: String
    }

    /// In the order of mounting.
    package let mounts: [Mount]

    /// The current mounts; none without /proc.
    package init() {
        // That of /proc/self cannot be read once the main thread has ended.
        let file = "/proc/thread-self/mountinfo"
        self.init(text: SystemFile.contents(of: file, limit: 64 * 1024 * 1024) ?? "")
    }

    package init(text: String) {
        mounts = text.split(separator: "\n").compactMap { line in
            let fields = line.split(separator: " ")
            // Optional fields end with a hyphen; the type follows.
            guard fields.count > 6, let hyphen = fields[6...].firstIndex(of: "-"),
                hyphen + 1 < fields.endIndex
            else { return nil }
            return Mount(path: MountTable.unescaped(fields[4]), type: String(fields[hyphen + 1]))
        }
    }

    /// The mounts that hold files of a folder: the one that the folder is in, and those below it.
    /// Of several at one path, the last one is seen.
    package func mounts(holding path: String) -> [Mount] {
        let folder = SystemFile.resolved(path)
        var seen: [String: Mount] = [:]
        for mount in mounts { seen[mount.path] = mount }
        let holder = seen.values.filter { MountTable.isPath(folder, in: $0.path) }
            .max { $0.path.utf8.count < $1.path.utf8.count }
        let inner = seen.values.filter { $0 != holder && MountTable.isPath($0.path, in: folder) }
        return (holder.map { [$0] } ?? []) + inner.sorted { $0.path < $1.path }
    }

    private static func isPath(_ path: String, in folder: String) -> Bool {
        folder == "/" || path == folder || path.hasPrefix(folder + "/")
    }

    /// Spaces, tabs, line feeds and backslashes are written as `\040` and so on.
    private static func unescaped(_ field: Substring) -> String {
        let backslash = UInt8(ascii: "\\")
        let parts = field.utf8.split(separator: backslash, omittingEmptySubsequences: false)
        var result = Array(parts[0])
        for part in parts.dropFirst() {
            result.append(UInt8(Substring(part.prefix(3)), radix: 8) ?? backslash)
            result += part.dropFirst(3)
        }
        return String(decoding: result, as: UTF8.self)
    }
}
