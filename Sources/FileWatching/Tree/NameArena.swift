/// The names of all nodes, stored contiguously. Released names take space until the tree compacts
/// the arena.
struct NameArena {
    private var bytes: ContiguousArray<UInt8> = []
    private(set) var releasedCount = 0

    mutating func add(_ name: UnsafeRawBufferPointer) -> UInt32 {
        let offset = UInt32(bytes.count)
        bytes.append(contentsOf: name)
        return offset
    }

    mutating func release(_ node: TreeNode) {
        releasedCount += Int(node.nameLength)
    }

    /// Whether compaction frees more than it keeps.
    var isWasteful: Bool { releasedCount > 65_536 && releasedCount > bytes.count / 2 }

    func withName<Result>(
        of node: TreeNode, _ body: (UnsafeRawBufferPointer) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { all in
            let start = Int(node.nameOffset)
            return body(
                UnsafeRawBufferPointer(rebasing: all[start..<(start + Int(node.nameLength))]))
        }
    }

    func equals(_ node: TreeNode, _ name: UnsafeRawBufferPointer) -> Bool {
        guard Int(node.nameLength) == name.count else { return false }
        return withName(of: node) { $0.elementsEqual(name) }
    }
}
