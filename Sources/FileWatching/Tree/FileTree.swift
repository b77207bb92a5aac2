internal import LinuxPlatform

/// The files and folders below a watcher's roots, in flat tables instead of one object each.
/// Confined to the engine's queue.
final class FileTree {
    @exclusivity(unchecked) var confined = State()

    /// The state, which belongs to the engine's queue; see `WatchEngine`.
    struct State {
        /// The first stands for none.
        fileprivate var nodes: ContiguousArray<TreeNode> = [TreeNode()]
        fileprivate var firstFree: NodeNumber = 0
        fileprivate var nodeCount = 0
        fileprivate(set) var names = NameArena()
        /// Hash table of nodes by folder and name. Its size is a power of two.
        fileprivate var buckets = ContiguousArray<NodeNumber>(repeating: 0, count: 256)
        fileprivate(set) var folderCount = 0
        fileprivate(set) var watchCount = 0
        /// Memory of `write`.
        fileprivate var chain: [NodeNumber] = []
    }

    var fileCount: Int { confined.nodeCount - confined.folderCount }

    subscript(node: NodeNumber) -> TreeNode {
        _read { yield confined.nodes[Int(node)] }
        _modify { yield &confined.nodes[Int(node)] }
    }

    // MARK: making and removing

    private func allocate() -> NodeNumber {
        let node = confined.firstFree
        guard node == 0 else {
            confined.firstFree = self[node].next
            return node
        }
        confined.nodes.append(TreeNode())
        return NodeNumber(confined.nodes.count - 1)
    }

    func insert(
        _ name: UnsafeRawBufferPointer, in parent: NodeNumber, _ facts: FolderEntryFacts,
        _ flags: NodeFlags = []
    ) -> NodeNumber {
        let number = allocate()
        var node = TreeNode()
        node.flags = flags
        node.kind = facts.kind
        node.nameOffset = confined.names.add(name)
        node.nameLength = UInt16(name.count)
        self[number] = node
        update(number, facts)
        confined.nodeCount += 1
        if node.isFolder { confined.folderCount += 1 }
        link(number, to: parent, name)
        return number
    }

    /// Stores what was found for a node of the same kind.
    func update(_ node: NodeNumber, _ facts: FolderEntryFacts) {
        self[node].flags.remove(.unexamined)
        self[node].inode = facts.inode
        guard facts.kind != .directory else { return }
        self[node].modifiedNanoseconds = facts.modifiedNanoseconds
        self[node].size = facts.size
    }

    /// Whether a scan's result differs from the stored state.
    func differs(_ node: NodeNumber, from facts: FolderEntryFacts) -> Bool {
        let known = self[node]
        return known.inode != facts.inode || known.size != facts.size
            || known.modifiedNanoseconds != facts.modifiedNanoseconds
    }

    /// Removes a node and all its descendants.
    func remove(_ node: NodeNumber) {
        unlink(node)
        forEach(below: node) { number in
            if self[number].parent != 0 { removeFromBucket(number) }
            setWatch(of: number, to: nil)
            if self[number].isFolder { confined.folderCount -= 1 }
            confined.nodeCount -= 1
            confined.names.release(self[number])
            self[number] = TreeNode()
            self[number].next = confined.firstFree
            confined.firstFree = number
        }
        if confined.names.isWasteful { compactNames() }
    }

    /// Moves a node to another folder and name. Its descendants move with it.
    func move(_ node: NodeNumber, to parent: NodeNumber, _ name: UnsafeRawBufferPointer) {
        unlink(node)
        confined.names.release(self[node])
        self[node].nameOffset = confined.names.add(name)
        self[node].nameLength = UInt16(name.count)
        link(node, to: parent, name)
        if confined.names.isWasteful { compactNames() }
    }

    private func compactNames() {
        var kept = NameArena()
        for index in confined.nodes.indices {
            confined.nodes[index].nameOffset = confined.names.withName(of: confined.nodes[index]) {
                kept.add($0)
            }
        }
        confined.names = kept
    }

    /// Of a folder; a file has none.
    func setWatch(of node: NodeNumber, to watch: Int32?) {
        if self[node].watch != nil { confined.watchCount -= 1 }
        self[node].watch = watch
        if watch != nil { confined.watchCount += 1 }
    }

    // MARK: links

    private func link(_ node: NodeNumber, to parent: NodeNumber, _ name: UnsafeRawBufferPointer) {
        guard parent != 0 else { return }
        if confined.nodeCount > confined.buckets.count { growBuckets() }
        self[node].parent = parent
        let first = self[parent].firstChild
        self[node].previous = 0
        self[node].next = first
        if first != 0 { self[first].previous = node }
        self[parent].firstChild = node
        let bucket = bucket(parent, name)
        self[node].nextInBucket = confined.buckets[bucket]
        confined.buckets[bucket] = node
    }

    private func unlink(_ node: NodeNumber) {
        let value = self[node]
        guard value.parent != 0 else { return }
        removeFromBucket(node)
        if value.previous != 0 {
            self[value.previous].next = value.next
        } else {
            self[value.parent].firstChild = value.next
        }
        if value.next != 0 { self[value.next].previous = value.previous }
        self[node].parent = 0
    }

    private func removeFromBucket(_ node: NodeNumber) {
        let value = self[node]
        let bucket = confined.names.withName(of: value) { self.bucket(value.parent, $0) }
        var (before, current) = (NodeNumber(0), confined.buckets[bucket])
        while current != node { (before, current) = (current, self[current].nextInBucket) }
        if before == 0 {
            confined.buckets[bucket] = value.nextInBucket
        } else {
            self[before].nextInBucket = value.nextInBucket
        }
    }

    private func growBuckets() {
        confined.buckets = ContiguousArray(repeating: 0, count: confined.buckets.count * 2)
        for number in 1..<NodeNumber(confined.nodes.count) {
            let node = self[number]
            // The caller links the new node itself.
            guard node.parent != 0 else { continue }
            let bucket = confined.names.withName(of: node) { self.bucket(node.parent, $0) }
            self[number].nextInBucket = confined.buckets[bucket]
            confined.buckets[bucket] = number
        }
    }

    private func bucket(_ parent: NodeNumber, _ name: UnsafeRawBufferPointer) -> Int {
        // Seeded, so that nobody can choose names that collide.
        var hasher = Hasher()
        hasher.combine(parent)
        hasher.combine(bytes: name)
        return hasher.finalize() & (confined.buckets.count - 1)
    }

    // MARK: finding

    func child(of parent: NodeNumber, _ name: UnsafeRawBufferPointer) -> NodeNumber? {
        var node = confined.buckets[bucket(parent, name)]
        while node != 0 {
            if self[node].parent == parent, confined.names.equals(self[node], name) { return node }
            node = self[node].nextInBucket
        }
        return nil
    }

    /// A node and the folders above it, up to its root.
    func lineage(of node: NodeNumber) -> UnfoldFirstSequence<NodeNumber> {
        sequence(first: node) { self[$0].parent == 0 ? nil : self[$0].parent }
    }

    /// Whether a node is `ancestor`, or below it.
    func isBelow(_ node: NodeNumber, _ ancestor: NodeNumber) -> Bool {
        lineage(of: node).contains(ancestor)
    }

    /// Writes the null-terminated path of a node, or of an entry `name` in it.
    func write(
        pathOf node: NodeNumber, _ name: UnsafeRawBufferPointer? = nil, to bytes: inout [UInt8]
    ) {
        bytes.removeAll(keepingCapacity: true)
        // No recursion: a tree may be very deep.
        confined.chain.removeAll(keepingCapacity: true)
        var next = node
        while next != 0 {
            confined.chain.append(next)
            next = self[next].parent
        }
        while let node = confined.chain.popLast() {
            if self[node].parent != 0 { addSlash(&bytes) }
            confined.names.withName(of: self[node]) { bytes.append(contentsOf: $0) }
        }
        if let name {
            addSlash(&bytes)
            bytes.append(contentsOf: name)
        }
        bytes.append(0)
    }

    private func addSlash(_ bytes: inout [UInt8]) {
        let slash = UInt8(ascii: "/")
        if bytes.last != slash { bytes.append(slash) }
    }

    /// Calls `body` with each node, parents before their children. It may remove the node.
    func forEach(below root: NodeNumber, _ body: (NodeNumber) -> Void) {
        var stack = [root]
        while let node = stack.popLast() {
            var child = self[node].firstChild
            while child != 0 {
                stack.append(child)
                child = self[child].next
            }
            body(node)
        }
    }
}
