import FileWatching
import SystemPackage

/// An observer's belief about a tree: its initial state plus all changes since.
final class TreeModel {
    private final class Node {
        var kind: FileChange.Kind
        /// The state on the disk, as last noted; nil as soon as a change of the entry was reported.
        var known: Disk.Entry?
        /// When its last change arrived.
        var reportedNanoseconds: Int64
        var children: [ArraySlice<UInt8>: Node] = [:]

        init(_ kind: FileChange.Kind, known: Disk.Entry? = nil, reportedNanoseconds: Int64 = 0) {
            self.kind = kind
            self.known = known
            self.reportedNanoseconds = reportedNanoseconds
        }
    }

    /// Of "/"; folders above the roots are there as well, and are not compared.
    private let top = Node(.directory)
    /// Changes that contradict the changes before them.
    private(set) var contradictions: [String] = []
    /// How many of the received changes are applied.
    private var count = 0

    /// - Parameter roots: the folders above them exist.
    init(_ entries: [[UInt8]: Disk.Entry], roots: [FilePath]) {
        for root in roots { _ = parent(of: root.bytes, makesFolders: true) }
        for (path, entry) in entries {
            let node = parent(of: path, makesFolders: true)!
            let name = names(path).last!
            if let existing = node.children[name] {
                existing.kind = entry.kind
                existing.known = entry
            } else {
                node.children[name] = Node(entry.kind, known: entry)
            }
        }
    }

    private func names(_ path: [UInt8]) -> [ArraySlice<UInt8>] { path.split(separator: 0x2f) }

    private func parent(of path: [UInt8], makesFolders: Bool = false) -> Node? {
        var node = top
        for name in names(path).dropLast() {
            if let child = node.children[name] {
                node = child
            } else if makesFolders {
                let child = Node(.directory)
                node.children[name] = child
                node = child
            } else {
                return nil
            }
        }
        return node
    }

    /// Applies the changes that were received since the last call.
    func apply(_ received: [TreeObserver.Received]) {
        for item in received[count...] {
            apply(item.change, receivedNanoseconds: item.nanoseconds)
        }
        count = received.count
    }

    private func apply(_ change: FileChange, receivedNanoseconds: Int64) {
        let path = change.path.bytes
        guard let parent = parent(of: path), let name = names(path).last else {
            return contradict(change, "its folder is unknown")
        }
        switch change.action {
        case .created:
            if parent.children[name] != nil { contradict(change, "it was there") }
            parent.children[name] = Node(change.kind, reportedNanoseconds: receivedNanoseconds)
        case .modified, .attributes:
            guard let node = parent.children[name] else { return contradict(change, "unknown") }
            node.kind = change.kind
            node.known = nil
            node.reportedNanoseconds = receivedNanoseconds
        case .removed:
            if parent.children.removeValue(forKey: name) == nil { contradict(change, "unknown") }
        case .renamed:
            guard let old = change.previousPath?.bytes, let oldParent = self.parent(of: old),
                let node = oldParent.children.removeValue(forKey: names(old).last!)
            else { return contradict(change, "its old name is unknown") }
            if node.kind != change.kind { contradict(change, "it was a \(node.kind)") }
            parent.children[name] = node
        case .rescan, .overflow:
            break
        }
    }

    private func contradict(_ change: FileChange, _ reason: String) {
        contradictions.append("\(describe(change)): \(reason)")
    }

    /// The believed entries of a root, in the form of the disk's listing.
    private func reported(below root: FilePath) -> [[UInt8]: Node] {
        var found: [[UInt8]: Node] = [:]
        var pending: [([UInt8], Node)] = []
        let path = root.bytes
        if let node = parent(of: path)?.children[names(path).last!] { pending = [(path, node)] }
        while let (path, node) = pending.popLast() {
            found[path] = node
            for (name, child) in node.children { pending.append((path + [0x2f] + name, child)) }
        }
        return found
    }

    /// The differences between belief and disk below a root; empty if the changes were complete.
    func differences(
        below root: FilePath, isIgnored: ([UInt8]) -> Bool = { _ in false }
    ) -> [String] {
        let reported = reported(below: root)
        let disk = Disk.tree(at: root)
        var differences: [String] = []
        for (path, entry) in disk where !isIgnored(path) {
            guard let node = reported[path] else {
                differences.append("never reported: \(escaped(path))")
                continue
            }
            if node.kind != entry.kind {
                differences.append("\(escaped(path)) is a \(entry.kind), reported as \(node.kind)")
            } else if entry.kind == .file, entry.nameCount == 1, !isUpToDate(node, entry) {
                differences.append("never reported: a change of \(escaped(path))")
            }
        }
        for path in reported.keys where disk[path] == nil && !isIgnored(path) {
            differences.append("never reported: the removal of \(escaped(path))")
        }
        return differences
    }

    /// Notes the state of the disk, which the belief equals: from now on, a renaming that is
    /// reported must carry these sizes and times along.
    func note(_ root: FilePath) {
        let disk = Disk.tree(at: root)
        for (path, node) in reported(below: root) { node.known = disk[path] }
    }

    /// A file without a reported change is unchanged; no file changed after its last report.
    private func isUpToDate(_ node: Node, _ entry: Disk.Entry) -> Bool {
        if let known = node.known {
            return known.size == entry.size
                && known.modificationNanoseconds == entry.modificationNanoseconds
        }
        return entry.modificationNanoseconds <= node.reportedNanoseconds
    }
}
