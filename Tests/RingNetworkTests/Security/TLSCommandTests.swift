#if TLS
import Glibc
import RingDispatch
import RingNetwork
import RingTLS
import Testing

private let openssl = Command.find("openssl")
private let curl = Command.find("curl")

/// Listeners and connections against common programs.
@Suite("TLS of connections with openssl(1) and curl(1)", .enabled(if: openssl != nil), .watchdog)
struct TLSCommandTests {
    private let folder = Folder()
    private let roots: String

    init() {
        roots = folder.makeFile("roots.pem", TestIdentities.authority.certificatePEM)
    }

    private func listen(
        _ store: TLSContextStore, _ handler: @escaping @Sendable (Connection) -> Void = { _ in }
    ) throws -> (Listener, UInt16) {
        let listener = try Listener(Endpoint("127.0.0.1:0")) { $0.secure(store) }
        serveEcho(listener, handler)
        return (listener, listener.port)
    }

    private func client(_ port: UInt16, _ arguments: [String]) throws -> Command {
        Command(
            [
                try #require(openssl), "s_client", "-connect", "127.0.0.1:\(port)",
                "-CAfile", roots, "-verify_return_error",
            ] + arguments)
    }

    @Test("s_client is echoed, by name and protocol", arguments: ["-tls1_2", "-tls1_3"])
    func echo(version: String) throws {
        var configuration = serverConfiguration()
        configuration.applicationProtocols = ["echo"]
        let agreed = Outcome<TLSNegotiation>()
        let closed = Outcome<CloseReason>()
        let (listener, port) = try listen(TLSContextStore(configuration)) { connection in
            connection.setHandshakeHandler { agreed.set($1) }
            connection.setCloseHandler { closed.set($1) }
        }
        let client = try client(
            port,
            [version, "-servername", "localhost", "-verify_hostname", "localhost", "-alpn", "echo"])
        #expect(client.wait(for: "Verify return code: 0 (ok)"), "\(client.transcript)")
        #expect(agreed.wait()?.applicationProtocol == "echo")
        #expect(agreed.wait()?.serverName == "localhost")
        #expect(agreed.wait()?.version == (version == "-tls1_2" ? .tls12 : .tls13))
        client.write("hello from here\n")
        #expect(client.wait(for: "hello from here\n"))
        client.closeInput()
        #expect(closed.wait() == .ended)
        stop(listener)
    }

    @Test("The name chooses the certificate, and a reload counts for new connections")
    func names() throws {
        let other = TestIdentities.issue(
            CertificateRequest(name: "other", alternativeNames: "DNS:other.example"))
        var configuration = serverConfiguration()
        configuration.serverNames = TLSServerNames([
            "other.example": try TLSContext(serverConfiguration(other))
        ])
        let store = try TLSContextStore(configuration)
        let (listener, port) = try listen(store)
        for name in ["localhost", "other.example"] {
            let client = try client(port, ["-servername", name, "-verify_hostname", name])
            #expect(client.wait(for: "Verify return code: 0 (ok)"), "\(client.transcript)")
            client.closeInput()
        }
        let next = TestIdentities.issue(
            CertificateRequest(name: "next", alternativeNames: "DNS:next.example"))
        store.replace(with: try TLSContext(serverConfiguration(next)))
        let client = try client(port, ["-verify_hostname", "next.example"])
        #expect(client.wait(for: "Verify return code: 0 (ok)"), "\(client.transcript)")
        client.closeInput()
        stop(listener)
    }

    @Test("s_client may update the keys")
    func keyUpdates() throws {
        let closed = Outcome<CloseReason>()
        let (listener, port) = try listen(TLSContextStore(serverConfiguration())) { connection in
            connection.setCloseHandler { closed.set($1) }
        }
        let client = try client(port, ["-tls1_3"])
        #expect(client.wait(for: "Verify return code: 0 (ok)"), "\(client.transcript)")
        client.write("K\n")
        #expect(client.wait(for: "KEYUPDATE"), "\(client.transcript)")
        client.write("after the keys\n")
        #expect(client.wait(for: "after the keys\n"), "\(client.transcript)")
        client.closeInput()
        #expect(closed.wait() == .ended)
        stop(listener)
    }

    @Test("A client's connection talks to s_server")
    func server() throws {
        let server = Command([
            try #require(openssl), "s_server", "-accept", "127.0.0.1:0", "-alpn", "echo",
            "-cert", folder.makeFile("server.pem", TestIdentities.server.certificatePEM),
            "-key", folder.makeFile("server.key", TestIdentities.server.keyPEM()),
        ])
        var port: UInt16?
        let isListening = server.wait { transcript in
            let line = transcript.split(separator: "\n").first { $0.hasPrefix("ACCEPT 127.") }
            port = line?.split(separator: ":").last.flatMap { UInt16($0) }
            return port != nil && transcript.hasSuffix("\n")
        }
        try #require(isListening, "\(server.transcript)")
        var configuration = clientConfiguration()
        configuration.applicationProtocols = ["echo"]
        let wire = Wire.connect(to: try #require(port))
        let connection = try Connection(
            adopting: dup(wire.descriptor), tls: TLSContext(configuration), serverName: "localhost")
        wire.close()
        let received = Inbox(connection)
        connection.activate()
        connection.send(Array("question\n".utf8), completion: nil)
        #expect(server.wait(for: "question\n"), "\(server.transcript)")
        server.write("reply\n")
        #expect(received.receive(exactly: 6) == Array("reply\n".utf8))
        let agreed = connection.queue.sync { connection.tlsNegotiation }
        #expect(agreed?.applicationProtocol == "echo")
        connection.closeOutput()
        #expect(received.receiveAll() == [])
        connection.close()
    }

    @Test("curl gets an answer with many bytes", .enabled(if: curl != nil))
    func fetch() throws {
        let body = String(repeating: "0123456789abcdef", count: 4096)
        let (listener, port) = try listen(TLSContextStore(serverConfiguration())) { connection in
            connection.setReceiveHandler { connection, _ in
                let head =
                    "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n"
                    + "Connection: close\r\n\r\n"
                connection.send(Array((head + body).utf8), completion: nil)
                connection.close()
            }
        }
        let client = Command([
            try #require(curl), "--silent", "--show-error", "--http1.1", "--cacert", roots,
            "--write-out", "|%{http_code} %{size_download} %{ssl_verify_result}|",
            "--resolve", "localhost:\(port):127.0.0.1", "https://localhost:\(port)/",
        ])
        #expect(client.wait(for: "|200 65536 0|"), "\(client.transcript.suffix(300))")
        #expect(client.transcript.hasPrefix(body))
        stop(listener)
    }
}
#endif
