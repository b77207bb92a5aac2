package import RingNetwork

#if TLS
internal import RingTLS

/// The server's certificate, which can be reloaded. Safe to use from any thread.
package struct ServerSecurity: Sendable {
    private let store: TLSContextStore?

    package init(_ options: SecurityOptions) throws {
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

    package func apply(to options: inout ListenerOptions) { options.tls = store }

    /// Reloads the files. New clients get the new certificate; open connections keep theirs.
    /// - Returns: the outcome, in words.
    package func reload() -> String {
        guard let store else { return "there is no certificate to reload" }
        do {
            try store.reload()
            return "the certificate was reloaded"
        } catch {
            return "the old certificate stays: \(error)"
        }
    }
}
#else
/// In a build without TLS there is no certificate.
package struct ServerSecurity: Sendable {
    package init(_ options: SecurityOptions) throws {}

    package func apply(to options: inout ListenerOptions) {}

    package func reload() -> String { "there is no certificate to reload" }
}
#endif
