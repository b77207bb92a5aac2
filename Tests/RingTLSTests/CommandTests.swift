#if TLS
import Glibc
import RingTLS
import Testing

private let openssl = Command.find("openssl")

/// Against the command of OpenSSL itself, over loopback sockets.
@Suite("TLS with openssl(1)", .enabled(if: openssl != nil), .serialized)
struct CommandTests {
    private let folder = Folder()
    private let roots: String

    init() {
        roots = folder.makeFile("roots.pem", TestIdentities.authority.certificatePEM)
    }

    private func identityArguments(_ issued: Issued, _ name: String) -> [String] {
        [
            "-cert", folder.makeFile("\(name).pem", issued.certificatePEM),
            "-key", folder.makeFile("\(name).key", issued.keyPEM()),
        ]
    }

    /// An engine that serves one connection of `openssl s_client`.
    private func serve(
        _ configuration: TLSConfiguration, _ arguments: [String]
    ) throws -> (loop: SocketLoop, client: Command) {
        let (listener, port) = SocketLoop.listen()
        defer { close(listener) }
        let command = Command(
            [
                try #require(openssl), "s_client", "-connect", "127.0.0.1:\(port)",
                "-CAfile", roots, "-verify_return_error",
            ] + arguments)
        let socket = SocketLoop.accept(listener)
        try #require(socket >= 0, "\(command.transcript)")
        return (SocketLoop(try Side(TLSContext(configuration)), socket: socket), command)
    }

    @Test("s_client talks to a server's engine", arguments: ["-tls1_2", "-tls1_3"])
    func client(version: String) throws {
        var configuration = serverConfiguration()
        configuration.applicationProtocols = ["echo"]
        let (loop, client) = try serve(
            configuration,
            [version, "-servername", "localhost", "-verify_hostname", "localhost", "-alpn", "echo"])
        #expect(loop.run { $0.engine.state == .established })
        #expect(client.wait(for: "Verify return code: 0 (ok)"), "\(client.transcript)")
        #expect(client.transcript.contains("ALPN protocol: echo"))
        let negotiation = try #require(loop.side.engine.negotiation)
        #expect(negotiation.version == (version == "-tls1_3" ? .tls13 : .tls12))
        #expect(negotiation.serverName == "localhost")
        #expect(negotiation.applicationProtocol == "echo")
        client.write("hello\n")
        #expect(loop.run { $0.text == "hello\n" })
        loop.side.send("answer\n")
        loop.flush()
        #expect(client.wait(for: "answer\n"))
        client.closeInput()
        #expect(loop.run { $0.engine.state == .peerClosed }, "\(loop.side.engine.state)")
        #expect(loop.side.failure == nil)
    }

    @Test("s_client refuses a wrong name, and the engine receives an alert")
    func wrongName() throws {
        let (loop, client) = try serve(
            serverConfiguration(), ["-verify_hostname", "elsewhere.example"])
        #expect(!loop.run { $0.engine.state == .peerClosed })
        guard case .peerAlert = loop.side.failure?.reason else {
            Issue.record("\(String(describing: loop.side.failure))\n\(client.transcript)")
            return
        }
    }

    @Test("s_client with and without a certificate in mutual TLS", arguments: [true, false])
    func mutual(hasCertificate: Bool) throws {
        var configuration = serverConfiguration()
        configuration.verification = .required
        configuration.trustRoots = .file(roots)
        let (loop, client) = try serve(
            configuration,
            hasCertificate ? identityArguments(TestIdentities.client, "client") : [])
        let isDone = loop.run { $0.engine.state != .handshaking }
        #expect(isDone, "\(client.transcript)")
        if hasCertificate {
            #expect(loop.side.engine.state == .established)
            #expect(loop.side.engine.peerCertificateChain().first == TestIdentities.client.der)
        } else {
            #expect(loop.side.failure?.reason == .verification(.missing))
            loop.flush()
            #expect(client.wait(for: "alert"))
        }
    }

    @Test("A client's engine talks to s_server", arguments: ["-tls1_2", "-tls1_3"])
    func server(version: String) throws {
        // `-accept 0` takes a free port, and says which.
        let server = Command(
            [
                try #require(openssl), "s_server", "-accept", "127.0.0.1:0", version,
                "-alpn", "h2,echo", "-Verify", "1", "-CAfile", roots, "-verify_return_error",
            ] + identityArguments(TestIdentities.server, "server"))
        var port: UInt16?
        let isListening = server.wait { transcript in
            let line = transcript.split(separator: "\n").first { $0.hasPrefix("ACCEPT 127.") }
            port = line?.split(separator: ":").last.flatMap { UInt16($0) }
            return port != nil && transcript.hasSuffix("\n")
        }
        try #require(isListening, "\(server.transcript)")
        var configuration = clientConfiguration()
        configuration.applicationProtocols = ["echo"]
        configuration.identity = TestIdentities.client.identity
        let context = try TLSContext(configuration)
        for turn in 0..<2 {
            let side = try Side(context, serverName: "localhost")
            let loop = SocketLoop(side, socket: SocketLoop.connect(try #require(port)))
            side.start()
            #expect(loop.run { $0.engine.state == .established }, "\(server.transcript)")
            #expect(side.engine.negotiation?.applicationProtocol == "echo")
            #expect(side.engine.negotiation?.isResumed == (turn == 1))
            side.send("question \(turn)\n")
            loop.flush()
            #expect(server.wait(for: "question \(turn)\n"), "\(server.transcript)")
            server.write("reply \(turn)\n")
            #expect(loop.run { $0.text.contains("reply \(turn)\n") })
            // With the replies come the tickets for the next turn.
            side.close()
            #expect(loop.run { $0.engine.state == .closed })
        }
    }
}
#endif
