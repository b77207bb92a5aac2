import RingNetwork
import SampleSupport

#if TLS
import RingTLS

/// The certificate, which can be reloaded. Safe to use from any thread.
struct ServerSecurity: Sendable {
    private let store: TLSContextStore?

    init(_ options: SecurityOptions) throws {
        guard let certificate = options.certificate, let key = options.privateKey else {
            store = nil
            return
        }
        let identity = TLSIdentity(certificateFile: certificate, keyFile: key)
        do {
            store = try TLSContextStore(.server(identity: identity))
        } catch {
            throw Failure("--certificate \(certificate), --private-key \(key): \(error)")
        }
    }

    func apply(to options: inout ListenerOptions) { options.tls = store }

    /// New clients get the new certificate.
    func reload() {
        guard let store else {
            return writeErrorLine("EchoServer: SIGHUP: there is no certificate to read anew")
        }
        do {
            try store.reload()
            writeErrorLine("EchoServer: SIGHUP: the certificate was read anew")
        } catch {
            writeErrorLine("EchoServer: SIGHUP: the old certificate stays: \(error)")
        }
    }
}
#else
/// Without TLS there is nothing to apply or to reload.
struct ServerSecurity: Sendable {
    init(_ options: SecurityOptions) throws {}

    func apply(to options: inout ListenerOptions) {}

    func reload() {
        writeErrorLine("EchoServer: SIGHUP: there is no certificate to read anew")
    }
}
#endif
