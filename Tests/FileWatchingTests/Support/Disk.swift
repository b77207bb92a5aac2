import FileWatching
import Glibc
import SystemPackage

/// The contents of the disk, read without the library.
enum Disk {
    struct Entry: Hashable {
        let kind: FileChange.Kind
        let size: Int64
        let modificationNanoseconds: Int64
        let inode: UInt64
        let nameCount: Int
    }

    /// The entry at a null-terminated path; nil if there is none.
    private static func entry(at path: UnsafePointer<CChar>) -> Entry? {
        var status = stat()
        guard lstat(path, &status) == 0 else { return nil }
        let kind: FileChange.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFREG: .file
            case S_IFDIR: .directory
            case S_IFLNK: .symlink
            default: .other
            }
        let time = status.st_mtim
        return Entry(
            kind: kind, size: Int64(status.st_size),
            modificationNanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec),
            inode: UInt64(status.st_ino), nameCount: Int(status.st_nlink))
    }

    /// A root and everything below it. Symbolic links are entries, and not followed.
    static func tree(at root: FilePath) -> [[UInt8]: Entry] {
        var entries: [[UInt8]: Entry] = [:]
        var pending = [root.bytes]
        // Bytes, since paths are slow in a build for debugging, and trees are large.
        while let path = pending.popLast() {
            (path + [0]).withUnsafeBytes { bytes in
                let start = bytes.baseAddress!.assumingMemoryBound(to: CChar.self)
                guard let entry = entry(at: start) else { return }
                entries[path] = entry
                guard entry.kind == .directory else { return }
                for name in entryNames(of: start) ?? [] { pending.append(path + [0x2f] + name) }
            }
        }
        return entries
    }

    /// Now, by the clock that files' times come from.
    static func nowNanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
