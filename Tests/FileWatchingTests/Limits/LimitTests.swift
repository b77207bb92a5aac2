import Glibc
import LinuxPlatform
import RingDispatch
import SystemPackage
import Testing

@testable import FileWatching

/// Errors name the limit and its value, and all other folders are watched.
@Suite("Limits", .watchdog)
struct LimitTests {
    private func hasNumber(_ text: String, after key: String) -> Bool {
        guard let range = text.firstRange(of: key + " = ") else { return false }
        return text[range.upperBound...].first?.isNumber == true
    }

    @Test("no more watches: one error names the limit, and the other folders are watched")
    func watches() throws {
        let folder = Folder()
        for name in ["a", "b", "c", "d"] { folder.makeDirectory(name) }
        // The two folders above, the root, and one of the four.
        let rules = Watched(RefusingInotify.Rules(code: ENOSPC, allowed: 0..<4))
        let watching = try Watching(in: folder, makeInotify: RefusingInotify.maker(rules))
        folder.makeFile("seen")
        watching.expect("created seen")
        #expect(watching.watcher.statistics.watches == 2)
        #expect(watching.snapshotPaths == ["a", "b", "c", "d", "seen"])
        #expect(watching.errors.value.count == 1)
        let error = try #require(watching.errors.value.first)
        #expect(error.reason == .watchLimit && error.path.starts(with: folder.path))
        #expect(
            hasNumber(error.description, after: "fs.inotify.max_user_watches")
                || hasNumber(error.description, after: "user.max_inotify_watches"),
            "\(error)")
        #expect(!error.description.contains("No space"))
    }

    @Test("no more instances: the watcher cannot be made, and the error names the limit")
    func instances() throws {
        let folder = Folder()
        let error = #expect(throws: FileTreeError.self) {
            _ = try Watching(
                in: folder,
                makeInotify: { () throws(SystemError) in
                    throw SystemError(call: "inotify_init1", code: EMFILE)
                })
        }
        #expect(error?.reason == .instanceLimit && error?.path == folder.path)
        #expect(
            error?.description.contains("inotify_instances") == true
                || error?.description.contains("max_user_instances") == true)
    }

    @Test("a failure to make an instance that is no limit is not called one")
    func noInstance() throws {
        let folder = Folder()
        for code in [ENOSYS, EPERM, ENOSPC] {
            let error = #expect(throws: FileTreeError.self) {
                _ = try Watching(
                    in: folder,
                    makeInotify: { () throws(SystemError) in
                        throw SystemError(call: "inotify_init1", code: code)
                    })
            }
            #expect(error?.reason == .other && error?.code?.rawValue == code)
            #expect(error?.description.contains("RLIMIT_NOFILE") == false)
        }
    }

    @Test("no more watches and no /proc: the error names the limit")
    func watchesWithoutProc() throws {
        let rules = Watched(RefusingInotify.Rules(code: ENOSPC, hasProc: false))
        let watching = try Watching(makeInotify: RefusingInotify.maker(rules))
        #expect(!watching.errors.value.isEmpty)
        #expect(watching.errors.value.allSatisfy { $0.reason == .watchLimit })
    }

    @Test("without /proc nothing can be watched, and the error says so")
    func withoutProc() throws {
        let rules = Watched(RefusingInotify.Rules(code: ENOENT))
        let watching = try Watching(makeInotify: RefusingInotify.maker(rules))
        let error = try #require(watching.errors.value.first)
        #expect(error.description.contains("mount /proc"))
    }

    @Test(
        "an unreadable folder is reported as an error, the others are watched",
        .enabled(if: geteuid() != 0, "the super-user reads everything"))
    func unreadable() throws {
        let folder = Folder()
        folder.makeDirectory("closed")
        folder.makeDirectory("open")
        #expect(Files.call(folder("closed")) { chmod($0, 0) })
        defer { _ = Files.call(folder("closed")) { chmod($0, 0o755) } }
        let watching = try Watching(in: folder)
        folder.makeFile("open/a")
        watching.expect("created open/a")
        let error = try #require(watching.errors.value.first)
        #expect(error.reason == .accessDenied && error.path == folder("closed"))
    }

    @Test("a folder behind too many links is reported as an error, the others are watched")
    func tooManyLinks() throws {
        // Each of the folders has a link to the next one: the kernel follows forty.
        let folder = Folder()
        for index in 0..<45 {
            folder.makeDirectory("\(index)")
            guard index > 0 else { continue }
            let (target, link) = (FilePath("../\(index)"), folder("\(index - 1)/next"))
            #expect(Files.call(target, link) { symlink($0, $1) })
        }
        let watching = try Watching(
            {
                $0.window = .nanoseconds(0)
                $0.followsSymlinks = true
            }, in: folder, roots: [folder("0")])
        func chain(_ count: Int) -> String { String(repeating: "/next", count: count) }
        #expect(watching.errors.value.map(\.path) == [folder("0" + chain(41))])
        let error = try #require(watching.errors.value.first)
        #expect(error.code.map(Errno.init) == .tooManySymbolicLinkLevels)
        #expect(error.description.contains("by a path of its own"))
        folder.makeFile("40/seen")
        watching.expect("created 0\(chain(40))/seen")
    }

    @Test(
        "a link to another file system is followed, though its inode is that of the root",
        .enabled(if: MemoryDisk.isAllowed, "this process may not mount"))
    func sameInode() throws {
        let folder = Folder()
        let disks = [MemoryDisk(at: folder("a")), MemoryDisk(at: folder("b"))]
        #expect(disks.map(\.isMounted) == [true, true])
        #expect(Files.call("../b", folder("a/link")) { symlink($0, $1) })
        let watching = try Watching(
            {
                $0.window = .nanoseconds(0)
                $0.followsSymlinks = true
            }, in: folder, roots: [folder("a")])
        folder.makeFile("b/new")
        watching.expect("created a/link/new")
        // A link to the root itself is an entry, and not followed.
        #expect(Files.call(".", folder("a/self")) { symlink($0, $1) })
        watching.expect("created a/self")
        watching.watcher.cancel()
        watching.isCancelled.pass()
    }

    @Test("a root's removal is reported, though its parent cannot be watched")
    func rootOfUnwatched() throws {
        let folder = Folder()
        folder.makeDirectory("root")
        let rules = Watched(RefusingInotify.Rules(code: EACCES, refused: folder.path.string))
        let watching = try Watching(
            in: folder, roots: [folder("root")],
            makeInotify: RefusingInotify.maker(rules))
        #expect(watching.errors.value.map(\.path) == [folder.path])
        Files.removeAll(folder("root"))
        watching.expect("removed root")
    }

    @Test("a root's renaming is reported, though its parent cannot be watched")
    func renamedRootOfUnwatched() throws {
        let folder = Folder()
        folder.makeDirectory("parent")
        folder.makeDirectory("parent/root")
        let rules = Watched(RefusingInotify.Rules(code: EACCES, refused: folder("parent").string))
        let watching = try Watching(
            in: folder, roots: [folder("parent/root")],
            makeInotify: RefusingInotify.maker(rules))
        #expect(watching.errors.value.map(\.path) == [folder("parent")])
        #expect(Files.rename(folder("parent/root"), folder("elsewhere")))
        watching.expect("removed parent/root")
    }

    @Test("a folder that is made again, and cannot be watched, is an error again")
    func failsAgain() throws {
        let folder = Folder()
        let rules = Watched(RefusingInotify.Rules(code: EACCES, refused: folder("sub").string))
        let watching = try Watching(in: folder, makeInotify: RefusingInotify.maker(rules))
        for count in 1...2 {
            folder.makeDirectory("sub")
            expectEventually(watching.errors) { $0.count == count }
            #expect(Files.remove(folder("sub")))
            watching.expect("created sub", "removed sub")
        }
        #expect(watching.errors.value.map(\.path) == [folder("sub"), folder("sub")])
    }

    @Test("a folder at the old path of one that could not be watched is an error of its own")
    func failsAtTheOldPath() throws {
        let folder = Folder()
        folder.makeDirectory("a")
        let rules = Watched(RefusingInotify.Rules(code: EACCES, refused: folder("a/\u{1b}").string))
        let watching = try Watching(in: folder, makeInotify: RefusingInotify.maker(rules))
        for count in 1...2 {
            folder.makeDirectory("a/\u{1b}")
            expectEventually(watching.errors) { $0.count == count }
            #expect(Files.rename(folder("a"), folder("b\(count)")))
            folder.makeDirectory("a")
            watching.expectChanges(of: ["a"])
        }
        let error = watching.errors.value.last
        #expect(error?.path == folder("a/\u{1b}"))
        #expect(error?.description.contains("/a/\\u{1b}' cannot be watched: ") == true)
    }

    @Test("watchers of one tree do not affect each other")
    func several() throws {
        let rules = Watched(RefusingInotify.Rules())
        let makeInotify = RefusingInotify.maker(rules)
        let folder = Folder()
        for name in ["a", "b", "c"] { folder.makeDirectory(name) }
        let first = try Watching(in: folder, makeInotify: makeInotify)
        // The root, the three in it, and the two above.
        #expect(first.watcher.watchCount == 6)
        do {
            let second = try Watching(in: folder, makeInotify: makeInotify)
            #expect(second.watcher.watchCount == 6 && rules.value.openInstances == 2)
            folder.makeFile("a/x")
            second.expect("created a/x")
            first.expect("created a/x")
        }
        expectEventually(rules) { $0.openInstances == 1 }
        folder.makeFile("a/y")
        first.expect("created a/y")
        first.watcher.cancel()
        expectOpens(first.isCancelled)
        #expect(first.watcher.watchCount == 0 && rules.value.openInstances == 0)
    }
}
