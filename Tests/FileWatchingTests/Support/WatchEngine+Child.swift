@testable import FileWatching

extension WatchEngine {
    /// An entry of a folder, as the tree knows it; 0: there is none. On the engine's queue.
    func child(_ name: String, of folder: NodeNumber) -> NodeNumber {
        Array(name.utf8).withUnsafeBytes { tree.child(of: folder, $0) } ?? 0
    }
}
