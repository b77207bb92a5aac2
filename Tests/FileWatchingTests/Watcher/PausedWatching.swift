import LinuxPlatform
import RingDispatch
import SystemPackage
import Testing

@testable import FileWatching

/// A watcher whose events are not read until the test resumes it.
struct PausedWatching {
    let folder = Folder()
    let watching: Watching
    var engine: WatchEngine { watching.watcher.engine }
    var root: NodeNumber { engine.confined.roots[0].node }

    /// - Parameters:
    ///   - names: folders to make before.
    ///   - files: files to make before.
    ///   - sizes: of these files; others are empty.
    ///   - root: watched; nil: the folder itself.
    init(
        _ names: [String] = [], files: [String] = [], sizes: [Int] = [], root: String? = nil
    ) throws {
        for name in names { folder.makeDirectory(name) }
        for name in files { folder.makeFile(name) }
        for (name, size) in zip(files, sizes) { append(size, to: folder(name)) }
        let root = if let root { folder(root) } else { folder.path }
        watching = try Watching(in: folder, roots: [root])
        watching.watcher.pause()
    }

    func resume() { watching.watcher.resume() }

    func resume(until path: String) {
        resume()
        watching.expectChanges(of: [path])
    }

    /// Has the engine handle a batch as if the kernel had sent it.
    func deliver(_ batch: InotifyBatch) {
        engine.queue.sync {
            engine.confined.waiting = batch
            engine.scheduleRun()
        }
        engine.queue.sync {}
    }

    /// Has the engine handle an event of an entry of the root.
    func deliver(_ mask: InotifyMask, _ name: String) {
        var batch = InotifyBatch()
        let watch = engine.queue.sync { engine.tree[root].watch ?? 0 }
        let event = InotifyEvent(watch: watch, mask: mask, cookie: 0, isOfEntry: true)
        Array(name.utf8).withUnsafeBytes { batch.add(event, for: .node(root), $0[...]) }
        deliver(batch)
    }

    func scanRoot() {
        engine.queue.sync {
            engine.push(root, [])
            engine.scanSome()
        }
    }
}
