#if TLS
import Foundation
import RingTLS

/// Certificates for one run of the tests, made by openssl(1) in a temporary folder.
enum TestIdentities {
    static let openssl = Command.find("openssl")

    static let authority = Issued.authority("Test authority")
    static let otherAuthority = Issued.authority("Another authority")
    /// For `localhost` and 127.0.0.1.
    static let server = Issued(
        name: "localhost",
        extensions: [
            "basicConstraints=critical,CA:FALSE", "subjectAltName=DNS:localhost,IP:127.0.0.1",
        ], issuer: authority)
}

/// A certificate and its key.
struct Issued: Sendable {
    let certificate: [UInt8]
    let key: [UInt8]

    static func authority(_ name: String) -> Issued {
        Issued(name: name, extensions: ["basicConstraints=critical,CA:TRUE"], issuer: nil)
    }

    init(name: String, extensions: [String], issuer: Issued?) {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("ring-dispatch-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o700])
            var arguments = [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "1", "-subj", "/CN=\(name)", "-keyout", path("key"), "-out", path("own"),
            ]
            for text in extensions { arguments += ["-addext", text] }
            if let issuer {
                try Data(issuer.certificate).write(to: folder.appendingPathComponent("ca"))
                try Data(issuer.key).write(to: folder.appendingPathComponent("ca-key"))
                arguments += ["-CA", path("ca"), "-CAkey", path("ca-key")]
            }
            let process = Process()
            process.executableURL = URL(fileURLWithPath: TestIdentities.openssl ?? "openssl")
            process.arguments = arguments
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            certificate = [UInt8](try Data(contentsOf: folder.appendingPathComponent("own")))
            key = [UInt8](try Data(contentsOf: folder.appendingPathComponent("key")))
        } catch {
            fatalError("openssl req: \(error)")
        }
    }

    var trust: TLSTrustRoots { .pem(.bytes(certificate)) }
}

func serverConfiguration(_ server: Issued = TestIdentities.server) -> TLSConfiguration {
    return .server(
        identity: TLSIdentity(
            certificateChain: .bytes(server.certificate), privateKey: .bytes(server.key)))
}
#endif
