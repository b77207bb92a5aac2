import Foundation
import Glibc

/// A program in its own namespaces, as in a container: it is process 1, and has its own mounts.
/// unshare(1).
struct Container {
    let process: ChildProcess

    private static let options = [
        "--user", "--map-root-user", "--mount", "--pid", "--fork", "--kill-child",
    ]

    /// Hardened hosts, and containers, do not allow namespaces.
    static let isAllowed: Bool = {
        let process = try? Program.start(
            "/usr/bin/unshare", options + ["/bin/sh", "-c", "mount -t tmpfs none /proc"])
        return (try? process?.waitForEnd()) == .exit(0)
    }()

    /// - Parameter preparation: shell commands to run before the program.
    init(
        _ program: Program, _ arguments: [String], _ setting: Setting, after preparation: String
    ) throws {
        let script = preparation + "\nexec \"$0\" \"$@\""
        process = try Program.start(
            "/usr/bin/unshare",
            Self.options + ["/bin/sh", "-c", script, program.path] + arguments,
            environment: setting.environment, refusal: setting.refusal)
    }

    /// Sends a signal from outside, like `docker stop`.
    func send(_ signal: Int32) throws {
        guard kill(try firstProcess(), signal) == 0 else { throw Trouble(call: "kill") }
    }

    /// The process ID outside the namespace.
    func firstProcess() throws -> pid_t {
        guard let first = try Self.children(of: process.processID).first else {
            throw Trouble("the container has no process; \(process.words)")
        }
        return first
    }

    /// Includes zombies.
    func childrenOfFirstProcess() throws -> [pid_t] { try Self.children(of: firstProcess()) }

    private static func children(of processID: pid_t) throws -> [pid_t] {
        // Each thread lists the children that it has created or inherited.
        let folder = "/proc/\(processID)/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).flatMap { thread in
            let text = try? String(contentsOfFile: "\(folder)/\(thread)/children", encoding: .utf8)
            return (text ?? "").split(separator: " ").compactMap { pid_t($0) }
        }
    }
}

/// Starts a server in a container, on a free port of the host's network.
func withContainedServer(
    _ program: Program, _ setting: Setting, arguments: [String] = [], after preparation: String,
    _ body: (Container, EchoProcess) throws -> Void
) throws {
    let container = try Container(
        program, ["--port", "0"] + arguments, setting, after: preparation)
    defer { container.process.send(SIGKILL) }
    let port = try container.process.output.waitForLine(beginning: "listening on 127.0.0.1:")
    guard let port = UInt16(port), port != 7007, port != 6380 else {
        throw Trouble("listens on port '\(port)', as if it had no arguments")
    }
    do {
        try body(container, EchoProcess(process: container.process, port: port))
    } catch {
        throw Trouble("\(error) [\(container.process.words)]")
    }
}
