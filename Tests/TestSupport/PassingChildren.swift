import Glibc

/// Processes that are spawned and end all the time, in a thread of their own. Each keeps copies of
/// all descriptors until its exec, and later of those without close-on-exec.
package final class PassingChildren: Sendable {
    private static let mostAtOnce = 3
    private let stop = Gate()
    private let spawned = Watched(0)
    private let thread = Watched<UserThread?>(nil)

    package init() {
        let body = { @Sendable [stop, spawned] in
            var children: [(process: pid_t, input: Int32)] = []
            while !stop.wasOpened {
                children.append(PassingChildren.spawn())
                spawned.increment()
                if children.count > PassingChildren.mostAtOnce {
                    PassingChildren.end(children.removeFirst())
                }
            }
            for child in children { PassingChildren.end(child) }
        }
        thread.update { $0 = UserThread(body) }
    }

    /// Ends them all. Returns whether there were any.
    package func end() -> Bool {
        stop.open()
        return thread.value?.join() == true && spawned.value > 0
    }

    /// A process that lives until its input ends.
    private static func spawn() -> (pid_t, Int32) {
        var pair: [Int32] = [-1, -1]
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        precondition(socketpair(AF_UNIX, kind, 0, &pair) == 0, "errno \(errno)")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, pair[0], STDIN_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var arguments: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/cat"), nil]
        var process = pid_t()
        let code = posix_spawn(&process, "/bin/cat", &actions, nil, &arguments, environ)
        precondition(code == 0, "posix_spawn: \(code)")
        free(arguments[0])
        posix_spawn_file_actions_destroy(&actions)
        close(pair[0])
        return (process, pair[1])
    }

    private static func end(_ child: (process: pid_t, input: Int32)) {
        shutdown(child.input, Int32(SHUT_RDWR))
        close(child.input)
        while waitpid(child.process, nil, 0) < 0 && errno == EINTR {}
    }
}
