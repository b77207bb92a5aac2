internal import LinuxPlatform
internal import RingDispatch
internal import SystemPackage

extension WatchEngine {
    /// Passes all known entries to `body`, after the changes that lead to this state were reported.
    func snapshot(_ body: @escaping @Sendable ([FileTreeEntry]) -> Void) {
        queue.async { [self] in
            var entries: [FileTreeEntry] = []
            if confined.phase != .cancelled {
                reporter.closeWindow()
                reporter.publish()
                entries.reserveCapacity(tree.fileCount + tree.confined.folderCount)
                // Files with several names: the kernel reports only the name that was used.
                var linked: Set<UInt64> = []
                // A link that is a root stands for the file that it leads to.
                var followed: Set<Int> = []
                for root in confined.roots where root.node != 0 {
                    followed.insert(entries.count)
                    tree.forEach(below: root.node) { node in
                        entries.append(entry(node))
                        // Otherwise the kernel's queue might overflow.
                        if entries.count.isMultiple(of: 1024) { reader.read() }
                        guard tree[node].flags.contains(.unexamined) else { return }
                        let index = entries.count - 1
                        if examine(&entries[index], followsLinks: followed.contains(index)) {
                            linked.insert(tree[node].inode)
                        }
                    }
                }
                for index in entries.indices where linked.contains(entries[index].inode) {
                    examine(&entries[index], followsLinks: followed.contains(index))
                    reader.read()
                }
            }
            reporter.queue.async { [entries] in
                body(entries.sorted { WatchEngine.precedes($0.path, $1.path) })
            }
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

    /// Gives the entry the file's present size and time. The tree keeps what was found before the
    /// last report, so that a later scan still finds a write whose event is lost.
    /// - Returns: whether the file has other names.
    @discardableResult
    private func examine(_ entry: inout FileTreeEntry, followsLinks: Bool) -> Bool {
        // A path that leads to another file by now has events of its own.
        guard
            let facts = try? FolderEntryFacts(
                path: entry.path.terminatedBytes, followsLinks: followsLinks),
            facts.inode == entry.inode, FileChange.Kind(facts.kind) == entry.kind
        else { return false }
        entry.size = facts.size
        entry.modifiedNanoseconds = facts.modifiedNanoseconds
        return facts.hasOtherNames
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
