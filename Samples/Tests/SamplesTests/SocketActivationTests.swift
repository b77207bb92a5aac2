import Glibc
import Testing

/// Acts as systemd: listens, and executes the server at the first connection.
private let serviceManager = "/usr/bin/systemd-socket-activate"

/// A service manager listens, and starts the server with its socket. sd_listen_fds(3).
@Suite(
    "Socket activation", .watchdog,
    .enabled(if: access(serviceManager, X_OK) == 0, "systemd is not installed"))
struct SocketActivationTests {
    @Test("EchoServer serves an inherited socket", arguments: Setting.usable)
    func inherited(setting: Setting) throws {
        let folder = Folder()
        let path = folder.path + "/socket"
        // The other ports are those of --host: a Unix socket has none.
        let options = ["--port", "0", "--udp", "--http-port", "0"]
        let server = try Program.start(
            serviceManager, ["--listen=" + path, Program.echoServer.path] + options,
            environment: setting.environment, refusal: setting.refusal)
        _ = try server.errors.waitForLine(beginning: "Listening on \(path)")
        let client = try Client.unix(path: path)
        try client.send([1, 2, 3])
        #expect(try client.receive(count: 3) == [1, 2, 3], "\(server.words)")
        for other in ["also on udp", "metrics on http"] {
            _ = try server.output.waitForLine(beginning: other + "://127.0.0.1:")
        }
        server.send(SIGTERM)
        #expect(try server.waitForEnd() == .exit(0), "\(server.words)")
        #expect(server.output.text.contains("listening on unix:\(path)"), "\(server.words)")
        // EchoServer does not remove a socket that systemd has created.
        #expect(access(path, F_OK) == 0)
    }
}
