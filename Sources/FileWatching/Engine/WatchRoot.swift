internal import SystemPackage

/// A path that a watcher was given, and where it is looked for.
struct WatchRoot {
    /// As it was given.
    let path: FilePath
    let bytes: ArraySlice<UInt8>
    /// 0: nothing is there at present.
    var node: NodeNumber = 0
    /// The watch of the folder that holds the root, or, when that is not there either, the nearest
    /// one above it that is.
    var anchorWatch: Int32?
    /// The name in that folder that leads to the root.
    var anchorName: [UInt8] = []
    /// The anchor holds the root itself.
    var isAnchorParent = false
    /// The anchor's watch tells of writes, too: the root is a file, and nothing else does.
    var includesWrites = false
    /// The watches of the folders further up, and the name in each that leads to the root: when one
    /// of them is renamed, nothing tells but the folder that it is in.
    var above: [Int32: [UInt8]] = [:]
    /// The anchor was looked at a moment ago: events may tell what was found already.
    var isFresh = false

    init(_ path: FilePath) {
        self.path = path
        bytes = path.terminatedBytes.dropLast()
    }

    /// The folder above, and the name in it that leads back.
    static func parent(of path: FilePath) -> (folder: FilePath, name: [UInt8])? {
        guard let last = path.lastComponent, last.kind == .regular else { return nil }
        let folder = path.removingLastComponent()
        let name = FilePath(root: nil, [last]).terminatedBytes.dropLast()
        return (folder.isEmpty ? FilePath(".") : folder, Array(name))
    }
}

extension FilePath {
    /// Of bytes that end in a zero.
    init(terminated bytes: [UInt8]) {
        self = bytes.withUnsafeBytes { all in
            FilePath(platformString: all.bindMemory(to: CChar.self).baseAddress!)
        }
    }

    /// The path's bytes with a zero at the end.
    var terminatedBytes: [UInt8] {
        withPlatformString { pointer in
            Array(UnsafeRawBufferPointer(start: pointer, count: length + 1))
        }
    }
}
