import Glibc

/// A shell that runs a script, with sockets as its input and output. Killed and reaped, at the
/// latest, when the last reference goes.
final class Child: Sendable {
    let identifier: pid_t
    private let input: Int32
    private let output: Int32
    private let status = Watched<Int32?>(nil)
    private let isInputOpen = Watched(true)

    /// - Parameter inheritsMask: whether the child inherits the calling thread's signal mask,
    ///   instead of blocking nothing.
    init(_ script: String, inheritsMask: Bool = false) {
        var toChild: [Int32] = [-1, -1]
        var fromChild: [Int32] = [-1, -1]
        // Not pipes, because sockets can be created with close-on-exec.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        let results = (
            socketpair(AF_UNIX, kind, 0, &toChild), socketpair(AF_UNIX, kind, 0, &fromChild)
        )
        precondition(results == (0, 0), "errno \(errno)")
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, toChild[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], STDOUT_FILENO)
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        if !inheritsMask {
            var none = sigset_t()
            sigemptyset(&none)
            posix_spawnattr_setsigmask(&attributes, &none)
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        }
        let words = ["/bin/sh", "-c", script]
        let arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, "/bin/sh", &actions, &attributes, arguments, environ)
        precondition(code == 0, "posix_spawn: \(code)")
        for argument in arguments { free(argument) }
        posix_spawn_file_actions_destroy(&actions)
        posix_spawnattr_destroy(&attributes)
        close(toChild[0])
        close(fromChild[1])
        self.identifier = identifier
        input = toChild[1]
        output = fromChild[0]
    }

    deinit {
        end(by: SIGKILL)
        reap()
        closeInput()
        close(output)
    }

    /// Sends it a signal, unless it was reaped.
    func end(by signal: Int32) {
        if status.value == nil { kill(identifier, signal) }
    }

    /// Ends its input: a script that waits in `read` goes on.
    func closeInput() {
        if isInputOpen.update({ isOpen in
            defer { isOpen = false }
            return isOpen
        }) {
            close(input)
        }
    }

    /// Waits until it has ended, and leaves it a zombie.
    func waitUntilEnded() {
        var information = siginfo_t()
        while waitid(P_PID, id_t(identifier), &information, WEXITED | WNOWAIT) != 0
            && errno == EINTR
        {}
    }

    /// Waits until it has ended; its status, as wait(2) reports it, or nil if somebody else has
    /// reaped it.
    @discardableResult
    func reap() -> Int32? {
        if let status = status.value { return status }
        var value: Int32 = 0
        while true {
            let result = waitpid(identifier, &value, 0)
            if result == identifier { break }
            if errno != EINTR { return nil }
        }
        status.update { $0 = value }
        return value
    }

    /// The next line of its output, without its end; nil at the end of the output.
    func readLine() -> String? {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while read(output, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
            line.append(byte)
        }
        return nil
    }
}

/// The contents of a small file, such as those of proc(5).
func contents(ofFile path: String) -> String? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count <= 0 { return String(decoding: text, as: UTF8.self) }
        text += buffer[..<count]
    }
}

/// The value of `name` in a process's status, see proc(5).
func processStatus(_ name: String, of process: String = "self") -> String? {
    contents(ofFile: "/proc/\(process)/status")?.split(separator: "\n")
        .first { $0.hasPrefix(name + ":") }?
        .dropFirst(name.count + 1).trimmed
}

/// The kernel's version: major and minor.
func kernelVersion() -> (Int, Int) {
    let numbers = (contents(ofFile: "/proc/sys/kernel/osrelease") ?? "").split(separator: ".")
        .prefix(2).compactMap { Int($0) }
    return numbers.count == 2 ? (numbers[0], numbers[1]) : (0, 0)
}

extension Substring {
    fileprivate var trimmed: String {
        String(drop { $0 == " " || $0 == "\t" })
    }
}
