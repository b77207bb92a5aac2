#if TLS
internal import CTLS
internal import LinuxPlatform

/// TLS for one connection, without a socket: ciphertext from the peer goes in; ciphertext for the
/// peer and plaintext come out. It corresponds to SSL(3).
///
/// An engine is confined to one serial queue, like its connection. It makes no system call and
/// never blocks, except that `TLSTrustRoots.system` reads the authorities' files.
///
/// Each call appends the bytes for the peer to its `output`, even when the call throws: send them
/// before you close the connection, because they include the alert. A failed engine stays failed.
///
/// An engine buffers at most one record of input (16 KiB plus framing) and, during the handshake,
/// one handshake message (certificates: 64 KiB). An idle engine buffers nothing.
public final class TLSEngine {
    /// The state of the connection.
    public enum State: Sendable, Equatable {
        /// The handshake is in progress; nothing can be sent yet.
        case handshaking
        /// Both directions are open.
        case established
        /// The peer has sent close_notify. This side may still send.
        case peerClosed
        /// This side has sent close_notify. The peer may still send.
        case closing
        /// Both sides have sent close_notify, or this side closed during the handshake.
        case closed
        /// The engine failed for good.
        case failed(TLSError)
    }

    /// The maximum of plaintext in a record, and in one call of `receive`'s closure: 16 KiB.
    public static let recordLimit = 16 * 1024

    /// The state of the connection. Only calls of the engine change it.
    public internal(set) var state = State.handshaking
    /// The context in use: the initial one, until SNI chooses another.
    public internal(set) var context: TLSContext
    /// On a client the name or address to connect to; on a server the name that the client
    /// requested, available after the ClientHello.
    public internal(set) var serverName: String?
    /// The last alert that this side sent, including close_notify.
    public internal(set) var sentAlert: TLSAlert?
    /// The last alert that the peer sent, including close_notify.
    public internal(set) var receivedAlert: TLSAlert?

    let ssl: OpaquePointer
    let bio = EngineBIO()
    let firstContext: TLSContext
    private var isBusy = false

    /// Creates an engine for one connection.
    /// - Parameters:
    ///   - context: decides the role: server or client.
    ///   - serverName: for clients: the host name, or the address in text form. The certificate is
    ///     verified for it, sessions are resumed by it, and a host name is sent in SNI.
    /// - Throws: ``TLSError``, if the context cannot be used with that name, or memory is short.
    public convenience init(context: TLSContext, serverName: String? = nil) throws {
        try self.init(context, serverName)
    }

    package init(_ context: TLSContext, _ serverName: String?) throws(TLSError) {
        let role = context.configuration.role
        if role == .server, serverName != nil {
            fatalMisuse("TLSEngine: a server's engine gets its serverName from the client")
        }
        var name: String?
        if let serverName { name = try Self.validated(serverName) }
        if name == nil, context.configuration.verification == .full {
            throw TLSError(
                .configuration, "no serverName to verify the server's certificate for",
                remedy: "give the host name, or set verification to .required or .none")
        }
        let place = ExitGate.enter()
        defer { ExitGate.leave(place) }
        OpenSSLErrors.clear()
        guard let ssl = SSL_new(context.handle) else {
            throw TLSError(.resources, "no TLS engine", detail: OpenSSLErrors.take().text)
        }
        self.ssl = ssl
        self.context = context
        firstContext = context
        self.serverName = name
        // All properties are set: from here on, `deinit` frees `ssl` when `init` throws.
        if !bio.attach(to: ssl) {
            throw TLSError(.resources, "no TLS engine", detail: OpenSSLErrors.take().text)
        }
        OpenSSLCallbacks.attach(self, to: ssl)
        switch role {
        case .server: SSL_set_accept_state(ssl)
        case .client:
            SSL_set_connect_state(ssl)
            if let name { try expect(name) }
        }
    }

    deinit {
        let place = ExitGate.enter()
        defer { ExitGate.leave(place) }
        // Without this call OpenSSL would not resume a session that ended without close_notify.
        // Only a failure invalidates a session.
        if case .failed = state {
        } else {
            SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        }
        SSL_free(ssl)
    }

    /// Starts the handshake: appends a client's first flight to `output`. A server need not call
    /// it.
    /// - Throws: ``TLSError``, the reason why the connection cannot continue.
    public func startHandshake(output: inout [UInt8]) throws {
        if let failure = perform(&output, { continueHandshake() }) { throw failure }
    }

    /// Processes bytes from the peer. All of them are consumed: the caller need not keep them.
    /// - Parameters:
    ///   - ciphertext: any part of the peer's stream. Bytes after its close_notify are ignored.
    ///   - output: receives the bytes for the peer: handshake flights, alerts.
    ///   - plaintext: called synchronously with the content, at most `recordLimit` bytes at a time,
    ///     which are valid during the call. It must not use the engine.
    /// - Throws: ``TLSError``, the reason why the connection cannot continue. Plaintext delivered
    ///   before is valid.
    public func receive(
        _ ciphertext: UnsafeRawBufferPointer, output: inout [UInt8],
        plaintext: (UnsafeRawBufferPointer) -> Void
    ) throws {
        let room = 2 * Self.recordLimit
        let failure = withUnsafeTemporaryAllocation(byteCount: room, alignment: 16) { memory in
            var rest = ciphertext[...]
            var failure: TLSError?
            repeat {
                let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(Self.recordLimit))
                rest = rest.dropFirst(piece.count)
                var count = 0
                failure = receive(piece, output: &output, into: memory, count: &count)
                deliver(UnsafeRawBufferPointer(rebasing: memory[..<count]), to: plaintext)
            } while failure == nil && !rest.isEmpty
            return failure
        }
        if let failure { throw failure }
    }

    private func deliver(
        _ bytes: UnsafeRawBufferPointer, to plaintext: (UnsafeRawBufferPointer) -> Void
    ) {
        isBusy = true
        defer { isBusy = false }
        for start in stride(from: 0, to: bytes.count, by: Self.recordLimit) {
            let piece = bytes[start..<min(bytes.count, start + Self.recordLimit)]
            plaintext(UnsafeRawBufferPointer(rebasing: piece))
        }
    }

    /// The same with the plaintext of all records in memory of the caller.
    /// - Parameters:
    ///   - memory: at least `recordLimit` bytes more than `ciphertext`.
    ///   - count: receives the number of bytes of plaintext, which are valid after a failure, too.
    package func receive(
        _ ciphertext: UnsafeRawBufferPointer, output: inout [UInt8],
        into memory: UnsafeMutableRawBufferPointer, count: inout Int
    ) -> TLSError? {
        perform(&output) {
            bio.reading(ciphertext) { continueHandshake() ?? decrypt(into: memory, count: &count) }
        }
    }

    /// Reports the end of the transport.
    ///
    /// Unless the peer has sent close_notify, an attacker may have cut the stream off, and the
    /// received data may be incomplete. Many programs omit close_notify. After a message that
    /// carries its own length, the error can be ignored.
    /// - Throws: ``TLSError``: `truncated` without a close_notify, or the error that the engine
    ///   failed with.
    public func receiveEnd() throws {
        switch state {
        case .peerClosed, .closed: return
        case .failed(let error): throw error
        case .handshaking:
            throw fail(
                TLSError(
                    .truncated, "the connection ended during the TLS handshake",
                    remedy: "see the peer's log; it may not speak TLS, or have refused this side"))
        case .established, .closing:
            throw fail(
                TLSError(
                    .truncated, "the connection ended without the peer's close_notify",
                    remedy: "treat the received data as incomplete unless its length is known"))
        }
    }

    /// Encrypts plaintext of any size. Calling it before the end of the handshake is a fatal error.
    /// - Throws: ``TLSError``: `closed` after `close`, or the error that the engine failed with.
    public func send(
        _ plaintext: UnsafeRawBufferPointer, output: inout [UInt8]
    ) throws {
        let none = UnsafeMutableRawBufferPointer(start: nil, count: 0)
        _ = try send(plaintext, into: none, output: &output)
    }

    /// The same into memory of the caller.
    /// - Parameter output: empty; receives the bytes that the memory has no room for.
    /// - Returns: the number of bytes in the memory.
    package func send(
        _ plaintext: UnsafeRawBufferPointer, into memory: UnsafeMutableRawBufferPointer,
        output: inout [UInt8]
    ) throws(TLSError) -> Int {
        switch state {
        case .handshaking: fatalMisuse("TLSEngine.send: the handshake has not ended")
        case .established, .peerClosed: break
        case .closing, .closed: throw TLSError(.closed, "this side has closed the connection")
        case .failed(let error): throw error
        }
        var count = 0
        let failure = perform(&output) {
            bio.writing(into: memory, count: &count) { encrypt(plaintext) }
        }
        if let failure { throw failure }
        return count
    }

    /// Appends close_notify to `output`: this side sends no more, but still receives. During the
    /// handshake no close_notify is sent, and the engine is closed at once.
    public func close(output: inout [UInt8]) {
        switch state {
        case .handshaking: state = .closed
        case .established, .peerClosed:
            state = state == .established ? .closing : .closed
            perform(&output) { _ = SSL_shutdown(ssl) }
        case .closing, .closed, .failed: break
        }
    }

    /// Swaps the caller's array into the BIO while `body` runs, so that OpenSSL appends to it.
    private func perform<Result>(_ output: inout [UInt8], _ body: () -> Result) -> Result {
        if isBusy { fatalMisuse("TLSEngine: used in a closure that it calls, or by two threads") }
        isBusy = true
        swap(&bio.output, &output)
        defer {
            swap(&bio.output, &output)
            isBusy = false
        }
        return ExitGate.pass {
            OpenSSLErrors.clear()
            return body()
        }
    }
}
#endif
