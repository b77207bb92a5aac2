import Foundation
import Testing

/// The hook by which git asks the server, in a repository of its own.
@Suite(
    "git and FileWatchServer", .watchdog,
    .enabled(if: Command.find("git") != nil, "git is not installed"),
    .enabled(if: Command.find("perl") != nil, "perl is not installed"))
struct GitTests {
    @Test("The hook names what has changed since its last answer, and nothing else")
    func hook() throws {
        try withRepository { repository in
            #expect(try repository.changes(since: "") == ["/"])
            #expect(try repository.changes(since: "0-7") == ["/"])
            #expect(try repository.changes(since: repository.token()) == [])
            let token = try repository.token()
            let folder = repository.folder
            try folder.append("more", to: "sub/a.txt")
            try folder.write("new, with spaces")
            try folder.move("other/c.txt", to: "other/d.txt")
            try folder.remove("b.txt")
            try folder.make(folder: "b.txt")
            #expect(
                try repository.changes(since: token) == [
                    "b.txt", "b.txt/", "new, with spaces", "other/c.txt", "other/d.txt",
                    "sub/a.txt",
                ])
            // A name that JSON escapes, and a folder that moves.
            for change in [{ try folder.write("\"a\"") }, { try folder.move("sub", to: "s") }] {
                let token = try repository.token()
                try change()
                #expect(try repository.changes(since: token) == ["/"])
            }
            #expect(try repository.git("ls-files", "-o", ".git") == "")
        }
    }

    @Test("git status tells the same with the hook, without it, and when the server is gone")
    func status() throws {
        try withRepository { repository in
            let folder = repository.folder
            func expectStatus(_ lines: [String]) throws {
                for options in [[], ["-c", "core.fsmonitor=false"]] {
                    let status = try repository.git(options + ["status", "--porcelain"])
                    #expect(status.split(separator: "\n").map(String.init) == lines)
                }
            }
            try expectStatus([])
            try folder.append("more", to: "sub/a.txt")
            try folder.write("new")
            try folder.move("other", to: "moved")
            try expectStatus([" D other/c.txt", " M sub/a.txt", "?? moved/", "?? new"])
            try folder.move("moved", to: "other")
            try folder.remove("new")
            try expectStatus([" M sub/a.txt"])
            #expect(try repository.server.end() == .exit(0))
            try folder.append("more", to: "b.txt")
            let status = try repository.git(["status", "--porcelain"])
            #expect(status.contains("git-fsmonitor: 127.0.0.1:\(repository.server.httpPort)"))
            #expect(status.hasSuffix(" M b.txt\n M sub/a.txt\n"))
        }
    }
}

private struct Repository {
    let server: FileWatchProcess

    var folder: WatchedFolder { server.folder }

    func git(_ arguments: String...) throws -> String { try git(arguments) }

    /// What git says, errors included.
    func git(_ arguments: [String]) throws -> String {
        try output("git", ["-c", "user.name=n", "-c", "user.email=e"] + arguments)
    }

    /// The paths of the hook's answer.
    func changes(since token: String) throws -> [String] {
        try answer(since: token).dropFirst().map(String.init)
    }

    func token() throws -> String { String(try answer(since: "").first ?? "") }

    private func answer(since token: String) throws -> [Substring] {
        try output(Repository.hook, ["2", token]).split(separator: "\0")
    }

    static let hook: String = {
        var path = URL(fileURLWithPath: #filePath)
        for _ in 0..<3 { path.deleteLastPathComponent() }
        return path.appendingPathComponent("FileWatchServer/git-fsmonitor").path
    }()

    private func output(_ program: String, _ arguments: [String]) throws -> String {
        let script = """
            unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
            export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1
            cd "$0" && exec "$@"
            """
        let command = Command(["/bin/sh", "-c", script, folder.path, program] + arguments)
        _ = command.wait { _ in false }
        return command.transcript
    }
}

private func withRepository(_ body: (Repository) throws -> Void) throws {
    try withFileWatchServer(arguments: ["--window", "0"]) { server in
        let repository = Repository(server: server)
        let folder = server.folder
        _ = try repository.git("init", "--quiet")
        for name in ["sub", "other"] { try folder.make(folder: name) }
        for name in ["sub/a.txt", "b.txt", "other/c.txt"] { try folder.write(name, "text") }
        _ = try repository.git("add", ".")
        #expect(try repository.git("commit", "--quiet", "--message", "first") == "")
        _ = try repository.git("config", "core.fsmonitor", Repository.hook)
        _ = try repository.git("config", "filewatch.address", "127.0.0.1:\(server.httpPort)")
        try body(repository)
    }
}
