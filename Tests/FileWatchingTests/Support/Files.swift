import Glibc
import SystemPackage

/// Calls that change the disk. Each is false, with errno, when the kernel refused.
enum Files {
    static func call(_ path: FilePath, _ body: (UnsafePointer<CChar>) -> Int32) -> Bool {
        path.withPlatformString(body) == 0
    }

    /// The same for a null-terminated path: `FilePath` is slow in a build for debugging.
    private static func call(_ path: [UInt8], _ body: (UnsafePointer<CChar>) -> Int32) -> Bool {
        path.withUnsafeBytes { body($0.baseAddress!.assumingMemoryBound(to: CChar.self)) == 0 }
    }

    static func call(
        _ first: FilePath, _ second: FilePath,
        _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
    ) -> Bool {
        first.withPlatformString { first in second.withPlatformString { body(first, $0) } } == 0
    }

    static func makeDirectory(_ path: FilePath) -> Bool { call(path) { mkdir($0, 0o755) } }

    /// The folder, and those above it that are missing.
    static func makeDirectories(_ path: FilePath) -> Bool {
        var bytes = path.bytes + [0x2f]
        var isMade = false
        for index in bytes.indices.dropFirst() where bytes[index] == 0x2f {
            bytes[index] = 0
            isMade = call(bytes) { mkdir($0, 0o755) } || errno == EEXIST
            bytes[index] = 0x2f
        }
        return isMade
    }

    /// A file or an empty folder.
    static func remove(_ path: FilePath) -> Bool {
        if call(path, { unlink($0) }) { return true }
        return (errno == EISDIR || errno == EPERM) && call(path) { rmdir($0) }
    }

    /// Removes the entry at a path, with all its descendants.
    static func removeAll(_ path: FilePath) { removeAll(path.bytes + [0]) }

    private static func removeAll(_ path: [UInt8]) {
        if call(path, { unlink($0) }) || errno == ENOENT { return }
        _ = call(path) { start in
            for name in entryNames(of: start) ?? [] {
                removeAll(path.dropLast() + [0x2f] + name + [0])
            }
            return rmdir(start)
        }
    }

    static func rename(_ from: FilePath, _ to: FilePath) -> Bool {
        call(from, to) { Glibc.rename($0, $1) }
    }

    /// Exchanges two entries atomically: renameat2(2), which is not imported.
    static func exchange(_ first: FilePath, _ second: FilePath) -> Bool {
        typealias Rename =
            @convention(c) (
                Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32
            ) -> Int32
        let rename = unsafeBitCast(dlsym(nil, "renameat2"), to: Rename.self)
        return call(first, second) { rename(AT_FDCWD, $0, AT_FDCWD, $1, 2) }
    }

    static func write(
        _ path: FilePath, _ bytes: [UInt8], flags: Int32 = O_WRONLY | O_CREAT | O_TRUNC
    ) -> Bool {
        let file = path.withPlatformString { open($0, flags | O_CLOEXEC, 0o644) }
        guard file >= 0 else { return false }
        defer { close(file) }
        return bytes.isEmpty || Glibc.write(file, bytes, bytes.count) == bytes.count
    }

    static func bytes(of path: FilePath) -> [UInt8]? {
        let file = path.withPlatformString { open($0, O_RDONLY | O_CLOEXEC) }
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let count = read(file, &buffer, buffer.count)
            if count <= 0 { return count == 0 ? bytes : nil }
            bytes += buffer[..<count]
        }
    }

    /// Overwrites a file's first bytes through mapped memory. The file must be at least that long.
    static func writeMapped(_ path: FilePath, _ bytes: [UInt8]) -> Bool {
        let file = path.withPlatformString { open($0, O_RDWR | O_CLOEXEC) }
        guard file >= 0 else { return false }
        defer { close(file) }
        guard let memory = mmap(nil, bytes.count, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0),
            memory != MAP_FAILED
        else { return false }
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        return msync(memory, bytes.count, MS_SYNC) == 0 && munmap(memory, bytes.count) == 0
    }
}
