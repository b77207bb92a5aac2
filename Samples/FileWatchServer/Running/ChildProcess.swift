import Glibc
import SampleSupport

/// A shell command in its own process group, so that a signal reaches all its processes. It
/// inherits this program's output, and the environment that this program was started with.
struct ChildProcess: Sendable {
    let identifier: pid_t

    init(shellCommand command: String) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)

        // The runtime's threads block signals, and children would inherit the mask.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setpgroup(&attributes, 0)
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))

        let words = ["/bin/sh", "-c", command]
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawn(
            &identifier, "/bin/sh", &actions, &attributes, arguments, RuntimeOptions.environment)
        guard code == 0 else {
            throw Failure("/bin/sh cannot be started: \(String(cString: strerror(code)))")
        }
        self.identifier = identifier
    }

    /// Sends a signal to the command's process group. kill(2).
    func send(_ signal: Int32) { kill(-identifier, signal) }

    /// Whether processes that the command has started are still there. Call after `reap`. kill(2).
    var hasProcesses: Bool {
        // As process 1, this program inherits them, and has to reap them.
        while waitpid(-identifier, nil, WNOHANG) > 0 {}
        return kill(-identifier, 0) == 0
    }

    /// Reaps the command after its end. Returns how it ended, in words; nil for status 0.
    func reap() -> String? {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7f
        if signal != 0 { return "ended by signal \(signal)" }
        let code = status >> 8 & 0xff
        return code == 0 ? nil : "ended with status \(code)"
    }
}
