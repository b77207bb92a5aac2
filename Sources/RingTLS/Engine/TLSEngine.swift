#if TLS
internal import CTLS
internal import LinuxPlatform

/// TLS for one connection, without a socket: bytes from the peer go in, bytes for the peer and
/// plaintext come out. It stands for SSL(3).
///
/// An engine is used from one serial queue, like the connection that it belongs to. It makes no
/// system call and never waits, except where `TLSTrustRoots.system` reads the authorities' files.
///
/// Each call appends what the peer should get to its `output`, also when it throws: send that
/// before the connection is closed, because the alert that tells the peer why is in it. An engine
/// that failed stays failed.
///
/// What it holds back is at most one record of input (16 KiB and its frame), and during the
/// handshake one message of it (certificates: 64 KiB). Idle, it holds neither.
public final class TLSEngine {
    /// Where the connection is.
    public enum State: Sendable, Equatable {
        /// Until both sides have agreed: nothing can be sent yet.
        case handshaking
        /// Both directions are open.
        case established
        /// The peer has said that it sends no more (close_notify). It may still be sent to.
        case peerClosed
        /// This side has said that it sends no more. The peer may still send.
        case closing
        /// Both sides have said so, or this one closed before the end of the handshake.
        case closed
        /// Nothing can be done any more.
        case failed(TLSError)
    }

    /// Bytes of plaintext in a record, and in one call of `receive`'s closure: at most 16 KiB.
    public static let recordLimit = 16 * 1024

    public internal(set) var state = State.handshaking
    /// The context in use: the one that the engine was made with, until SNI chooses another.
    public internal(set) var context: TLSContext
    /// On a client the name or address to connect to; on a server the name the client asked for,
    /// known from the first flight of the handshake on.
    public internal(set) var serverName: String?
    /// The last alert that was sent, close_notify included.
    public internal(set) var sentAlert: TLSAlert?
    /// The last alert that came, close_notify included.
    public internal(set) var receivedAlert: TLSAlert?

    let ssl: OpaquePointer
    let bio = EngineBIO()
    let firstContext: TLSContext
    private var isBusy = false

    /// An engine for one connection.
    /// - Parameter serverName: for clients: the host name or the address in text form. It is
    ///   verified, chooses sessions to resume, and, unless it is an address, is sent (SNI).
    public init(context: TLSContext, serverName: String? = nil) throws(TLSError) {
        let role = context.configuration.role
        if role == .server, serverName != nil {
            fatalMisuse("TLSEngine: a server's engine gets its serverName from the client")
        }
        let name = try serverName.map(Self.validated)
        if name == nil, context.configuration.verification == .full {
            throw TLSError(
                .configuration, "no serverName to verify the server's certificate for",
                remedy: "give the host name, or set verification to .required or .none")
        }
        OpenSSLErrors.clear()
        guard let ssl = SSL_new(context.handle) else {
            throw TLSError(.resources, "no TLS engine", reason: OpenSSLErrors.take().text)
        }
        self.ssl = ssl
        self.context = context
        firstContext = context
        self.serverName = name
        // All properties are set: what follows may throw, and `deinit` frees `ssl`.
        if !bio.attach(to: ssl) {
            throw TLSError(.resources, "no TLS engine", reason: OpenSSLErrors.take().text)
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
        // Without this OpenSSL would take a session that did not end with close_notify for broken,
        // and not resume it. Only a failure breaks one.
        if case .failed = state {
        } else {
            SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
        }
        SSL_free(ssl)
    }

    /// Begins the handshake: appends a client's first flight to `output`. A server has nothing to
    /// say yet, and need not call it.
    public func startHandshake(output: inout [UInt8]) throws(TLSError) {
        if let failure = perform(&output, { continueHandshake() }) { throw failure }
    }

    /// Takes bytes that came from the peer, all of them: they need not be kept.
    /// - Parameters:
    ///   - ciphertext: any part of the peer's stream. Bytes behind its close_notify are ignored.
    ///   - output: what the peer is to get is appended: flights of the handshake, alerts.
    ///   - plaintext: is called during the call for each record's content (at most `recordLimit`
    ///     bytes, valid until it returns). It must not use the engine.
    /// - Throws: why the connection cannot go on. Plaintext that was given before is good.
    public func receive(
        _ ciphertext: UnsafeRawBufferPointer, output: inout [UInt8],
        plaintext: (UnsafeRawBufferPointer) -> Void
    ) throws(TLSError) {
        let failure = perform(&output) { () -> TLSError? in
            bio.reading(ciphertext) { () -> TLSError? in
                if state == .handshaking, let failure = continueHandshake() { return failure }
                return decrypt(plaintext)
            }
        }
        if let failure { throw failure }
    }

    /// Tells that the transport has ended. Throws `truncated` when that was not the end that the
    /// peer announced: what came may then be a part only, cut off by somebody in the middle.
    ///
    /// Many programs leave close_notify out; after a message that carries its own length the error
    /// can be passed over.
    public func receiveEnd() throws(TLSError) {
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
                    remedy: "take what came for incomplete unless its length is known"))
        }
    }

    /// Encrypts plaintext of any size. It must not be called before the handshake has ended.
    /// - Throws: `closed` after `close`, or why the engine failed.
    public func send(
        _ plaintext: UnsafeRawBufferPointer, output: inout [UInt8]
    ) throws(TLSError) {
        switch state {
        case .handshaking: fatalMisuse("TLSEngine.send: the handshake has not ended")
        case .established, .peerClosed: break
        case .closing, .closed: throw TLSError(.closed, "this side has closed the connection")
        case .failed(let error): throw error
        }
        if let failure = perform(&output, { encrypt(plaintext) }) { throw failure }
    }

    /// Says that this side sends no more (close_notify); what the peer sends can still be received.
    /// Before the handshake has ended there is nobody to say it to: the engine is closed at once.
    public func close(output: inout [UInt8]) {
        switch state {
        case .handshaking: state = .closed
        case .established, .peerClosed:
            state = state == .established ? .closing : .closed
            perform(&output) { _ = SSL_shutdown(ssl) }
        case .closing, .closed, .failed: break
        }
    }

    /// Lends the caller's array to OpenSSL's callbacks for the time of `body`.
    private func perform<Result>(_ output: inout [UInt8], _ body: () -> Result) -> Result {
        if isBusy { fatalMisuse("TLSEngine: used in a closure that it calls, or by two threads") }
        isBusy = true
        swap(&bio.output, &output)
        defer {
            swap(&bio.output, &output)
            isBusy = false
        }
        OpenSSLErrors.clear()
        return body()
    }
}
#endif
