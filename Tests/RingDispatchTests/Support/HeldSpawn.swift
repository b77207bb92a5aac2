import Glibc

/// A posix_spawn(3) that keeps the calling thread in the kernel, where not even a signal ends the
/// wait, until another thread lets it go: vfork(2) returns after the child's exec, and the child
/// first opens a named pipe that has no writer.
final class HeldSpawn: Sendable {
    private let folder: Folder
    private let path: String
    /// The kernel's number for the thread that spawns; 0 until then.
    private let thread = Watched<Int32>(0)
    private let code = Watched<Int32?>(nil)

    /// Opens the pipe, and keeps it open until the child has it, too.
    private let writer = Watched<Int32>(-1)

    init() {
        folder = Folder()
        path = folder("held")
        precondition(mkfifo(path, 0o600) == 0, "errno \(errno)")
    }

    deinit { letGo() }

    /// Spawns `/bin/true`, and waits for its end. Returns after `letGo`. Once.
    func spawn() {
        thread.update { $0 = currentThreadIdentifier() }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, path, O_RDONLY, 0)
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
        var child = pid_t()
        let result = posix_spawn(&child, "/bin/true", &actions, nil, &arguments, environ)
        free(arguments[0])
        posix_spawn_file_actions_destroy(&actions)
        code.update { $0 = result }
        if result == 0 { while waitpid(child, nil, 0) < 0 && errno == EINTR {} }
    }

    /// Whether posix_spawn(3) has returned.
    var isOver: Bool { code.value != nil }

    /// Whether it has succeeded.
    var hasSucceeded: Bool { code.value == 0 }

    /// Waits until the thread is in the kernel. False if it never is.
    func waitUntilHeld() -> Bool {
        poll {
            let number = thread.value
            guard number != 0 else { return false }
            // D: a sleep that no signal ends.
            return processStatus("State", of: "self/task/\(number)")?.hasPrefix("D") == true
        }
    }

    func letGo() {
        writer.update { writer in
            // With both directions, it does not wait for the child.
            if writer < 0 { writer = open(path, O_RDWR | O_CLOEXEC) }
        }
        _ = poll { isOver || thread.value == 0 }
        writer.update { writer in
            if writer >= 0 { close(writer) }
            writer = -1
        }
    }
}
