/// The entries that expire, the earliest first: a heap whose nodes have four children. Each entry
/// knows its place. Not thread-safe; its shard's queue protects it.
struct DeadlineHeap {
    struct Node {
        /// Milliseconds on the store's clock.
        var deadline: Int64
        var hash: UInt64
        var entry: Entry
    }

    private var nodes: [Node] = []

    var first: Node? { nodes.first }

    var count: Int { nodes.count }

    /// What a deadline takes.
    static let nodeBytes = MemoryLayout<Node>.stride

    /// The deadline of an entry that has one.
    func deadline(of entry: Entry) -> Int64 {
        nodes[entry.deadlineIndex].deadline
    }

    /// Gives an entry a deadline, or another one.
    mutating func set(_ deadline: Int64, for entry: Entry, hash: UInt64) {
        let node = Node(deadline: deadline, hash: hash, entry: entry)
        if entry.hasDeadline {
            place(node, at: entry.deadlineIndex)
        } else {
            nodes.append(node)
            place(node, at: nodes.count - 1)
        }
    }

    mutating func remove(_ entry: Entry) {
        let index = entry.deadlineIndex
        entry.clearDeadlineIndex()
        let last = nodes.removeLast()
        if index < nodes.count { place(last, at: index) }
    }

    /// The entry lies elsewhere now.
    mutating func replace(_ entry: Entry, by other: Entry) {
        other.deadlineIndex = entry.deadlineIndex
        nodes[entry.deadlineIndex].entry = other
    }

    mutating func removeAll() { nodes = [] }

    /// Puts a node where it belongs, beginning at `start`, whose node is replaced.
    private mutating func place(_ node: Node, at start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 4
            guard node.deadline < nodes[parent].deadline else { break }
            put(nodes[parent], at: index)
            index = parent
        }
        while true {
            let children = (4 * index + 1)..<min(4 * index + 5, max(nodes.count, 4 * index + 1))
            guard let least = children.min(by: { nodes[$0].deadline < nodes[$1].deadline }),
                nodes[least].deadline < node.deadline
            else { break }
            put(nodes[least], at: index)
            index = least
        }
        put(node, at: index)
    }

    private mutating func put(_ node: Node, at index: Int) {
        nodes[index] = node
        node.entry.deadlineIndex = index
    }
}
