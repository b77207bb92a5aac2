internal import SystemPackage

/// A root of a watcher, and the watches that find it.
struct WatchRoot {
    /// The path as passed to the watcher.
    let path: FilePath
    /// 0 while nothing exists at the path.
    var node: NodeNumber = 0
    /// The watches of the existing folders on the way to the root, each with the name in it that
    /// leads to the root. Only its parent's watch reports that a folder was renamed.
    var anchors: [Int32: [UInt8]] = [:]
    /// The one of `anchors` that watches the root's parent; nil if that does not exist.
    var parentWatch: Int32?
    /// The root's own watch, if it is a file.
    var fileWatch: Int32?
    /// Just examined: events in the kernel's queue may report a state that was found already.
    var isFresh = false
    /// See `WatchEngine.beginPolling`.
    var isPolled = false

    /// The parent folder, and the name in it that leads to the path.
    static func parent(of path: FilePath) -> (folder: FilePath, name: [UInt8])? {
        guard let last = path.lastComponent, last.kind == .regular else { return nil }
        let folder = path.removingLastComponent()
        let name = FilePath(root: nil, [last]).terminatedBytes.dropLast()
        return (folder.isEmpty ? FilePath(".") : folder, Array(name))
    }
}

extension FilePath {
    /// Creates a path from null-terminated bytes.
    init(terminated bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { all in
            FilePath(platformString: all.bindMemory(to: CChar.self).baseAddress!)
        }
    }

    /// The path's bytes, null-terminated.
    var terminatedBytes: [UInt8] {
        withPlatformString { pointer in
            Array(UnsafeRawBufferPointer(start: pointer, count: length + 1))
        }
    }
}
