import RingDispatch

@testable import FileWatching

extension WatchEngine {
    /// An entry of a folder, as the tree knows it; 0: there is none. On the engine's queue.
    func child(_ name: String, of folder: NodeNumber) -> NodeNumber {
        Array(name.utf8).withUnsafeBytes { tree.child(of: folder, $0) } ?? 0
    }
}

extension FileTreeWatcher {
    /// Stops reading the kernel's events.
    func pause() {
        engine.queue.sync { engine.reader.isPaused = true }
    }

    func resume() {
        engine.queue.sync {
            engine.reader.isPaused = false
            while engine.reader.read() {}
        }
    }

    /// How many files the kernel watches for it.
    var watchCount: Int { engine.queue.sync { engine.confined.purposes.count } }
}
