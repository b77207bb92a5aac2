import Glibc
import SystemPackage
import Testing

/// After each storm, the state that the changes describe equals the disk.
@Suite("Storms", Storm.watchdog)
struct StormTests {
    @Test("mkdir -p in many places, with files in the new folders at once", arguments: [50, 0])
    func folders(windowMilliseconds: Int) throws {
        let storm = try Storm(windowMilliseconds: windowMilliseconds)
        defer { storm.end() }
        let (rounds, count) = isDeep ? (10, 60) : (2, 20)
        let failures = Watched(0)
        for round in 0..<rounds {
            let threads = (0..<4).map { thread in
                UserThread { [tree = storm.tree] in
                    for index in 0..<count {
                        let folder = tree.appending("\(round)-\(thread)/\(index % 7)/\(index)/a/b")
                        let isMade =
                            Files.makeDirectories(folder)
                            && Files.write(folder.appending("file"), [1])
                            && Files.write(folder.removingLastComponent().appending("file"), [2])
                        if !isMade { failures.increment() }
                        if index % 5 == 4 {
                            Files.removeAll(tree.appending("\(round)-\(thread)/\((index - 2) % 7)"))
                        }
                    }
                }
            }
            for thread in threads { #expect(thread.join()) }
            #expect(failures.value == 0)
            storm.check("round \(round)")
        }
    }

    @Test(
        "git switches between branches, there and back", .enabled(if: Command.find("git") != nil),
        arguments: [50, 0])
    func branches(windowMilliseconds: Int) throws {
        let storm = try Storm(windowMilliseconds: windowMilliseconds, ignoring: ".git") {
            try Self.makeRepository($0)
        }
        defer { storm.end() }
        for round in 0..<(isDeep ? 10 : 2) {
            for branch in ["other", "main"] {
                #expect(Self.git("checkout", "-q", branch, in: storm.tree) == 0)
                if round % 2 == 0 { storm.check("round \(round), \(branch)") }
            }
        }
        storm.check("at the end")
    }

    /// An environment without the user's git settings.
    private static func git(_ words: String..., in folder: FilePath) -> Int32 {
        let git = [
            "env", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1", "git", "-c",
            "user.name=Test", "-c", "user.email=test@example.com", "-c", "gc.auto=0", "-c",
            "init.defaultBranch=main",
        ]
        return Command.run(git + words, in: folder)
    }

    /// Two branches with many folders, most of them different.
    private static func makeRepository(_ tree: FilePath) throws {
        let size = isDeep ? 40 : 8
        func fill(_ kind: String, _ folders: Range<Int>) {
            for folder in folders {
                let path = tree.appending("src/\(folder)/\(folder % 3 == 0 ? kind : "both")/x")
                #expect(Files.makeDirectories(path))
                for file in 0..<10 {
                    let text = file % 2 == 0 ? "same" : "\(kind) \(folder)"
                    #expect(Files.write(path.appending("\(file)"), Array(text.utf8)))
                }
            }
        }
        #expect(git("init", "-q", in: tree) == 0)
        fill("main", 0..<size)
        #expect(Files.write(tree.appending("name"), [1]))
        #expect(git("add", ".", in: tree) == 0)
        #expect(git("commit", "-q", "-mmain", in: tree) == 0)
        #expect(git("checkout", "-qb", "other", in: tree) == 0)
        Files.removeAll(tree.appending("src"))
        fill("other", size / 2..<size + size / 2)
        // A file in one branch, a folder in the other.
        #expect(Files.remove(tree.appending("name")))
        #expect(Files.makeDirectories(tree.appending("name/sub")))
        #expect(Files.write(tree.appending("name/sub/file"), [2]))
        #expect(git("add", "-A", in: tree) == 0)
        #expect(git("commit", "-q", "-mother", in: tree) == 0)
        #expect(git("checkout", "-q", "main", in: tree) == 0)
    }

    @Test(
        "tar unpacks a large archive", .enabled(if: Command.find("tar") != nil),
        arguments: [50, 0])
    func archive(windowMilliseconds: Int) throws {
        let (folders, filesInEach) = isDeep ? (400, 50) : (30, 10)
        let packed = Folder(in: Folder.placeForMany)
        for folder in 0..<folders {
            let path = packed("pack/\(folder % 20)/\(folder)")
            #expect(Files.makeDirectories(path))
            for file in 0..<filesInEach {
                #expect(Files.write(path.appending("file-\(file)"), Array("text \(file)".utf8)))
            }
        }
        #expect(Command.run(["tar", "cf", "pack.tar", "pack"], in: packed.path) == 0)
        let unpack = ["tar", "xf", packed("pack.tar").string]
        for round in 0..<(isDeep ? 10 : 1) {
            let storm = try Storm(windowMilliseconds: windowMilliseconds)
            defer { storm.end() }
            #expect(Command.run(unpack, in: storm.tree) == 0)
            storm.check("round \(round), unpacked")
            Files.removeAll(storm.tree.appending("pack/3"))
            #expect(Files.rename(storm.tree.appending("pack"), storm.tree.appending("moved")))
            #expect(Command.run(unpack, in: storm.tree) == 0)
            storm.check("round \(round), moved and unpacked again")
        }
    }
}
