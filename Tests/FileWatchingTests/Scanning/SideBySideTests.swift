import RingDispatch
import SystemPackage
import Testing

@testable import FileWatching

/// Several folders are scanned concurrently.
@Suite("Looking at folders side by side", .watchdog)
struct SideBySideTests {
    private static let names = (0..<100).map { "folder-\($0)" }

    @Test("many folders, with as many entries as take several readings")
    func many() throws {
        let folder = Folder()
        for name in Self.names {
            folder.makeDirectory(name)
            folder.makeDirectory(name + "/inner")
            folder.makeFile(name + "/inner/file")
        }
        let long = String(repeating: "x", count: 200)
        for number in 0..<400 { folder.makeFile("folder-7/\(number)-\(long)") }
        let watching = try Watching(in: folder)
        #expect(watching.snapshotPaths.count == 3 * 100 + 400)
        for name in Self.names { append(1, to: folder(name + "/inner/file")) }
        watching.expectChanges(of: Self.names.map { $0 + "/inner/file" })
        #expect(watching.watcher.statistics.watches >= 201)
    }

    /// The nodes of the replaced folder and its entries are reused at once.
    @Test("a scan that finds another folder in the place of one in the same round")
    func replaced() throws {
        let folder = Folder()
        let few = Array(Self.names.prefix(8))
        for name in ["outer", "outer/inner", "outer/inner/child"] + few {
            folder.makeDirectory(name)
        }
        let watching = try Watching(in: folder)
        let engine = watching.watcher.engine
        watching.watcher.pause()
        #expect(Files.rename(folder("outer/inner"), folder("folder-0/moved")))
        folder.makeDirectory("outer/inner")
        folder.makeFile("outer/inner/file")
        let others = (0..<8).map { "outer/other-\($0)" }
        for name in others { folder.makeDirectory(name) }
        engine.queue.sync {
            // The last one is scanned first, together with the others.
            let root = engine.confined.roots[0].node
            let outer = engine.child("outer", of: root)
            engine.push(engine.child("inner", of: outer), [])
            for name in few { engine.push(engine.child(name, of: root), []) }
            engine.push(outer, .repair)
            while !engine.confined.pending.isEmpty { engine.scanSome() }
        }
        watching.watcher.resume()
        let moved = ["folder-0/moved", "folder-0/moved/child"]
        var files = ["outer/inner", "folder-0/moved/child"].map { $0 + "/late" }
        files += others.map { $0 + "/late" }
        for file in files { folder.makeFile(file) }
        watching.expectChanges(of: files)
        let all = ["outer", "outer/inner", "outer/inner/file"] + few + others + moved + files
        #expect(watching.snapshotPaths == all.sorted())
        let reported = Set(watching.changes.value.map { $0.path })
        #expect(reported.isSubset(of: Set(all.map { folder($0) })))
        watching.watcher.cancel()
        expectOpens(watching.isCancelled)
        #expect(watching.watcher.watchCount == 0)
    }
}
