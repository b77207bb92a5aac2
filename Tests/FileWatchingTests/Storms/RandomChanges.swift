import Glibc
import SystemPackage

/// Random changes of a small tree, from a seed. There are few names, so that changes collide: a
/// folder is renamed while a file is created in it, a file replaces a folder.
struct RandomChanges {
    private var generator: SeededGenerator
    private let tree: FilePath
    private let beside: FilePath

    init(seed: UInt64, tree: FilePath, beside: FilePath) {
        generator = SeededGenerator(seed: seed)
        self.tree = tree
        self.beside = beside
    }

    private mutating func number(_ limit: Int) -> Int {
        Int.random(in: 0..<limit, using: &generator)
    }

    private mutating func path() -> FilePath {
        (0...number(4)).reduce(tree) { path, _ in path.appending(["a", "b", "c"][number(3)]) }
    }

    /// True once in `limit` times.
    mutating func happens(oneIn limit: Int) -> Bool { number(limit) == 0 }

    /// Makes one change, unless its file does not exist.
    mutating func step() {
        let path = path()
        switch number(20) {
        case 0...2: _ = Files.makeDirectory(path)
        case 3: _ = Files.makeDirectories(path)
        case 4...6: _ = Files.write(path, bytes())
        case 7: _ = Files.write(path, bytes(), flags: O_WRONLY | O_APPEND)
        case 8: _ = Files.remove(path)
        case 9: Files.removeAll(path)
        case 10...13: _ = Files.rename(path, self.path())
        case 14: _ = Files.rename(path, outside())
        case 15: _ = Files.rename(outside(), path)
        case 16: _ = Files.call(FilePath("nowhere"), path) { symlink($0, $1) }
        case 17: _ = Files.call(path) { chmod($0, 0o755) }
        case 18: save(path)
        default: _ = Files.exchange(path, self.path())
        }
    }

    private mutating func outside() -> FilePath { beside.appending(["x", "y"][number(2)]) }

    private mutating func bytes() -> [UInt8] { [UInt8](repeating: 0x78, count: number(20)) }

    private mutating func save(_ path: FilePath) {
        let new = path.removingLastComponent().appending("new")
        if Files.write(new, bytes()) { _ = Files.rename(new, path) }
    }
}
