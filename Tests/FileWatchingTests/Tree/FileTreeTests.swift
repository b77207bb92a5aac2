import LinuxPlatform
import Testing

@testable import FileWatching

@Suite("The tree of files")
struct FileTreeTests {
    private func insert(
        _ name: String, in folder: NodeNumber, _ tree: FileTree
    ) -> NodeNumber {
        let facts = FolderEntryFacts(
            kind: .directory, inode: 1, size: 0, modifiedNanoseconds: 0)
        return Array(name.utf8).withUnsafeBytes { tree.insert($0, in: folder, facts) }
    }

    @Test("The path of a folder is found and written at any depth")
    func depth() {
        let tree = FileTree()
        let levels = 200_000
        var node = insert("/tree", in: 0, tree)
        for _ in 0..<levels { node = insert("d", in: node, tree) }
        var path: [UInt8] = []
        tree.write(pathOf: node, to: &path)
        #expect(path.count == 5 + 2 * levels + 1)
        #expect(path.starts(with: Array("/tree/d/d/".utf8)))
        #expect(path.suffix(3) == Array("/d\0".utf8)[...])
    }
}
