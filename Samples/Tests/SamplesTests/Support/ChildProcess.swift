import Glibc

/// A program started by a test, with its output. It is killed at the latest when the test releases
/// it. The launcher closes the descriptors of other tests that it inherits.
final class ChildProcess: @unchecked Sendable {
    // Safety: immutable, or behind `Watched`.
    let processID: pid_t
    let output: Transcript
    let errors: Transcript
    /// Nil while the process runs. Signals are sent with the lock held: an unreaped process keeps
    /// its ID, so that no other process can get the signal.
    private let ending = Watched<Ending?>(nil)

    init(_ command: [String], environment: [String]) throws {
        let (outputPipe, errorPipe) = (try Pipe(), try Pipe())
        processID = try Self.spawn(
            command, environment: environment, output: outputPipe.writer, errors: errorPipe.writer)
        close(outputPipe.writer)
        close(errorPipe.writer)
        output = Transcript(adopting: outputPipe.reader)
        errors = Transcript(adopting: errorPipe.reader)
        let (processID, ending) = (processID, ending)
        _ = UserThread {
            var information = siginfo_t()
            while waitid(P_PID, id_t(processID), &information, WEXITED | WNOWAIT) != 0,
                errno == EINTR
            {}
            ending.update { ending in
                var status: Int32 = 0
                waitpid(processID, &status, 0)
                ending = Ending(waitStatus: status)
            }
        }
    }

    deinit { send(SIGKILL) }

    var isRunning: Bool { ending.update { $0 == nil } }

    func send(_ signal: Int32) {
        ending.update { ending in
            if ending == nil { kill(processID, signal) }
        }
    }

    /// Waits for its end, and for all of its output.
    func waitForEnd(until deadline: Deadline = Deadline()) throws -> Ending {
        guard let ending = ending.wait(until: deadline, for: { $0 }) else {
            throw Trouble("process \(processID) did not end in time; \(words)")
        }
        try output.waitForEnd(until: deadline)
        try errors.waitForEnd(until: deadline)
        return ending
    }

    /// The state and output, for failure messages.
    var words: String {
        "\(ending.update { $0 }.map { "it ended: \($0)" } ?? "it runs"); "
            + "standard output: \(output.text.debugDescription), "
            + "standard error: \(errors.text.debugDescription)"
    }

    /// The same; a program that is crashing gets time to finish its output.
    var wordsAtTheEnd: String {
        _ = try? waitForEnd(until: Deadline(afterMilliseconds: 500))
        return words
    }

    private static func spawn(
        _ command: [String], environment: [String], output: Int32, errors: Int32
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, errors, STDERR_FILENO)

        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        var processID: pid_t = 0
        let arguments = command.map { strdup($0) } + [nil]
        let variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        let code = posix_spawn(
            &processID, command[0], &actions, &attributes, arguments, variables)
        guard code == 0 else {
            errno = code
            throw Trouble(call: "posix_spawn \(command[0])")
        }
        return processID
    }
}

private struct Pipe {
    let reader: Int32
    let writer: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Trouble(call: "pipe") }
        (reader, writer) = (ends[0], ends[1])
    }
}
