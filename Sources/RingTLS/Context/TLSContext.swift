#if TLS
internal import CTLS
internal import LinuxPlatform

/// Certificates, keys and settings, read and checked once, for any number of connections. A context
/// is immutable; `TLSContextStore` replaces it for new connections. It corresponds to SSL_CTX(3).
///
/// Creating a context reads files and takes milliseconds: create it at start, not for each
/// connection.
public final class TLSContext: Sendable {
    // Safety: this code does not change the handle after `init`. OpenSSL guards its own changes
    // (references, ticket keys) with locks.
    nonisolated(unsafe) let handle: OpaquePointer

    /// The configuration that the context was created from.
    public let configuration: TLSConfiguration
    /// Problems of the identity, such as an expired certificate. They are also written to standard
    /// error.
    public let warnings: [String]

    /// ALPN protocols in wire format: each name follows a length byte (RFC 7301, section 3.1).
    // Safety: the memory is the context's own, and does not change after `init`.
    nonisolated(unsafe) let applicationProtocols: UnsafeBufferPointer<UInt8>
    /// Only for clients that resume sessions.
    let sessions: SessionCache?

    /// Reads the files of a configuration and checks all its settings. SSL_CTX_new(3).
    /// - Throws: ``TLSError``, the first problem, such as a file that cannot be read, a key that
    ///   does not match its certificate, or settings that contradict each other.
    public init(_ configuration: TLSConfiguration) throws {
        try Self.check(configuration)
        let place = ExitGate.enter()
        defer { ExitGate.leave(place) }
        let protocols = try Self.encoded(configuration.applicationProtocols)
        let isServer = configuration.role == .server
        guard let handle = SSL_CTX_new(isServer ? TLS_server_method() : TLS_client_method()) else {
            throw TLSError(
                .resources, "no TLS context", detail: OpenSSLErrors.take().text,
                remedy: "see whether memory is left and OpenSSL's configuration file is valid")
        }
        self.handle = handle
        let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: protocols.count)
        _ = memory.initialize(from: protocols)
        applicationProtocols = UnsafeBufferPointer(memory)
        self.configuration = configuration
        let resumes = configuration.resumesSessions
        sessions = !isServer && resumes ? SessionCache() : nil
        let setup = ContextSetup(
            handle: handle, configuration: configuration, applicationProtocols: protocols)
        do throws(TLSError) {
            warnings = try setup.apply()
        } catch {
            // `deinit` does not run when `init` throws.
            SSL_CTX_free(handle)
            memory.deallocate()
            throw error
        }
        OpenSSLCallbacks.install(on: self)
        for warning in warnings { Diagnostics.log(warning) }
    }

    deinit {
        ExitGate.pass {
            sessions?.removeAll()
            SSL_CTX_free(handle)
        }
        applicationProtocols.deallocate()
    }

    private static func check(_ configuration: TLSConfiguration) throws(TLSError) {
        func refuse(_ message: String, _ remedy: String) -> TLSError {
            TLSError(.configuration, message, remedy: remedy)
        }
        if configuration.minimumVersion > configuration.maximumVersion {
            throw refuse("the minimum version is above the maximum", "lower minimumVersion")
        }
        switch (configuration.role, configuration.verification) {
        case (.server, .full):
            throw refuse(
                "a server cannot verify host names of clients",
                "set verification to .required, and check the certificate yourself")
        case (.client, .optional):
            throw refuse(
                "a client cannot make the server's certificate optional",
                "set verification to .full, .required or .none")
        default: break
        }
        if configuration.role == .server, configuration.identity == nil {
            throw refuse("a server needs a certificate and a key", "set identity")
        }
        if configuration.role == .client, configuration.serverNames != nil {
            throw refuse("a client has no serverNames", "give the engine its serverName")
        }
    }

    private static func encoded(_ protocols: [String]) throws(TLSError) -> [UInt8] {
        var bytes: [UInt8] = []
        for name in protocols {
            let name = Array(name.utf8)
            if name.isEmpty || name.count > 255 {
                throw TLSError(
                    .configuration, "an application protocol's name has \(name.count) bytes",
                    remedy: "use names of 1 to 255 bytes, such as 'h2'")
            }
            bytes.append(UInt8(name.count))
            bytes += name
        }
        if bytes.count > Int(UInt16.max) {
            throw TLSError(
                .configuration, "the application protocols' names have \(bytes.count) bytes",
                remedy: "use at most 65535 bytes, each with one more for its length")
        }
        return bytes
    }
}
#endif
