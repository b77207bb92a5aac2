import Glibc

/// A program that a test talks to through its standard input and output.
package final class Command {
    /// How long a test waits for an event on a busy machine.
    package static let patienceSeconds = max(60, Patience.seconds)

    private var process = pid_t()
    /// Its number may be another program's by now.
    private var hasEnded = false
    private let socket: Int32
    /// All of its output, errors included.
    package private(set) var transcript = ""

    /// The path of `name`; nil where PATH does not lead to it.
    package static func find(_ name: String) -> String? {
        guard let path = getenv("PATH").map({ String(cString: $0) }) else { return nil }
        return path.split(separator: ":").map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    package init(_ arguments: [String]) {
        var ends: [Int32] = [-1, -1]
        // Sockets, because close-on-exec keeps them from other children of this process.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        precondition(socketpair(AF_UNIX, kind, 0, &ends) == 0, "errno \(errno)")
        socket = ends[0]
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 0)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_adddup2(&actions, ends[1], 2)
        var words = arguments.map { strdup($0) }
        words.append(nil)
        let code = posix_spawn(&process, arguments[0], &actions, nil, words, environ)
        precondition(code == 0, "\(arguments[0]): errno \(code)")
        for word in words { free(word) }
        posix_spawn_file_actions_destroy(&actions)
        close(ends[1])
    }

    deinit {
        close(socket)
        if hasEnded { return }
        kill(process, SIGKILL)
        waitpid(process, nil, 0)
    }

    package func write(_ text: String) {
        let bytes = Array(text.utf8)
        precondition(Glibc.write(socket, bytes, bytes.count) == bytes.count, "errno \(errno)")
    }

    package func closeInput() { shutdown(socket, Int32(SHUT_WR)) }

    /// Reads until the transcript contains the text. False if the output ended or the time ran out
    /// before.
    package func wait(until condition: (String) -> Bool) -> Bool {
        var buffer = [UInt8](repeating: 0, count: 4096)
        while !condition(transcript) {
            guard Self.waitUntilReadable(socket) else { return false }
            let count = read(socket, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return condition(transcript) }
            transcript += String(decoding: buffer[..<count], as: UTF8.self)
        }
        return true
    }

    /// False if the time runs out. A signal of another test does not end the wait.
    package static func waitUntilReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        while true {
            let result = poll(&entry, 1, Int32(patienceSeconds * 1000))
            if result >= 0 || errno != EINTR { return result > 0 }
        }
    }

    /// Reads all of its output. The exit status; nil if a signal ended the program, or if the time
    /// ran out before.
    package func waitForEnd() -> Int32? {
        _ = wait { _ in false }
        var byte = UInt8(0)
        guard recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0 else {
            return nil
        }
        var status = Int32(0)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        hasEnded = true
        return status & 0x7f == 0 ? (status >> 8) & 0xff : nil
    }

    package func wait(for text: String) -> Bool { wait { $0.contains(text) } }
}
