import Glibc
import SystemPackage

/// A directory for a test's files, removed with all that is in it when the last reference goes.
final class Folder: Sendable {
    let path: FilePath

    /// Where tests with thousands of files make them: in memory, unless the run is deep. On ext4,
    /// each new file's inode is searched for among those of all files that were removed lately.
    static let placeForMany = isDeep ? "/tmp" : "/dev/shm"

    /// The name is short, because `FilePath` is slow in a build for debugging.
    init(in place: String = "/tmp") {
        var template = Array("\(place)/watch-XXXXXX".utf8CString)
        precondition(mkdtemp(&template) != nil, "no folder in \(place): errno \(errno)")
        path = FilePath(platformString: template)
    }

    deinit { Files.removeAll(path) }

    /// The path of an entry.
    func callAsFunction(_ name: String) -> FilePath { path.appending(bytes: Array(name.utf8)) }
}

/// The names in a folder, as bytes; nil if it cannot be read.
func entryNames(of folder: FilePath) -> [[UInt8]]? {
    folder.withPlatformString { entryNames(of: $0) }
}

func entryNames(of folder: UnsafePointer<CChar>) -> [[UInt8]]? {
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    var names: [[UInt8]] = []
    while let entry = readdir(stream) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) { Array($0.prefix { $0 != 0 }) }
        if name != [0x2e], name != [0x2e, 0x2e] { names.append(name) }
    }
    return names
}

extension FilePath {
    /// A path of any bytes, which need not be UTF-8.
    init(bytes: some Sequence<UInt8>) {
        self.init(platformString: bytes.map(CChar.init(bitPattern:)) + [0])
    }

    var bytes: [UInt8] {
        withPlatformString { start in
            Array(UnsafeRawBufferPointer(start: start, count: strlen(start)))
        }
    }

    func appending(bytes name: [UInt8]) -> FilePath { FilePath(bytes: bytes + [0x2f] + name) }
}

extension [UInt8] {
    /// Whether it is the other path or below it. `FilePath.starts(with:)` takes paths to pieces
    /// first, which is slow for tens of thousands of them.
    func isPath(below other: [UInt8]) -> Bool {
        starts(with: other) && (count == other.count || self[other.count] == 0x2f)
    }
}
