internal import LinuxPlatform
internal import RingDispatch
internal import SystemPackage

extension WatchEngine {
    /// Passes all known entries to `body`, after the changes that lead to this state were reported.
    func snapshot(_ body: @escaping @Sendable ([FileTreeEntry]) -> Void) {
        queue.async { [self] in
            var entries: [FileTreeEntry] = []
            if confined.phase != .cancelled {
                examineTouched()
                updateOtherNames()
                reporter.closeWindow()
                reporter.publish()
                entries.reserveCapacity(tree.fileCount + tree.confined.folderCount)
                for root in confined.roots where root.node != 0 {
                    tree.forEach(below: root.node) { entries.append(entry($0)) }
                }
                entries.sort { WatchEngine.precedes($0.path, $1.path) }
            }
            reporter.queue.async { [entries] in body(entries) }
        }
    }

    /// By their bytes: a folder comes before what is in it.
    private static func precedes(_ one: FilePath, _ other: FilePath) -> Bool {
        one.withPlatformString { one in
            other.withPlatformString { other in
                var index = 0
                while one[index] == other[index] && one[index] != 0 { index += 1 }
                return UInt8(bitPattern: one[index]) < UInt8(bitPattern: other[index])
            }
        }
    }

    private func entry(_ node: NodeNumber) -> FileTreeEntry {
        tree.write(pathOf: node, to: &confined.path)
        let value = tree[node]
        return FileTreeEntry(
            path: FilePath(terminated: confined.path), kind: FileChange.Kind(value.kind),
            size: value.size,
            modifiedNanoseconds: value.modifiedNanoseconds, inode: value.inode)
    }
}
