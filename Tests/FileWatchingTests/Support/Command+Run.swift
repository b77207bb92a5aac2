import Glibc
import SystemPackage

extension Command {
    /// Runs a program to its end, silently; its exit status, or -1 if a signal ended it.
    static func run(_ words: [String], in folder: FilePath) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        let script = "cd \"$1\" && shift && exec \"$@\""
        let all = ["sh", "-c", script, "sh", folder.string] + words
        let arguments: [UnsafeMutablePointer<CChar>?] = all.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var process = pid_t()
        let code = posix_spawn(&process, "/bin/sh", &actions, nil, arguments, environ)
        guard code == 0 else { return -1 }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return status & 0x7f == 0 ? status >> 8 & 0xff : -1
    }
}
