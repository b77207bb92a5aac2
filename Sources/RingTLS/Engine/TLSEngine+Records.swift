#if TLS
internal import CTLS

/// The three OpenSSL calls that drive a connection: handshake, read, write.
extension TLSEngine {
    /// Continues the handshake as far as the input allows.
    func continueHandshake() -> TLSError? {
        if case .failed(let error) = state { return error }
        if state != .handshaking { return nil }
        let result = SSL_do_handshake(ssl)
        if result == 1 {
            state = .established
            return nil
        }
        let cause = SSL_get_error(ssl, result)
        return cause == SSL_ERROR_WANT_READ ? nil : fail(failure(cause))
    }

    /// Decrypts all records in the input into memory that has room for them.
    func decrypt(into memory: UnsafeMutableRawBufferPointer, count: inout Int) -> TLSError? {
        while true {
            switch state {
            case .failed(let error): return error
            case .handshaking, .peerClosed, .closed: return nil
            case .established, .closing: break
            }
            // OpenSSL reads one record at a time: with no input left, no plaintext is left either,
            // unless the buffer was smaller than a record. A further SSL_read_ex would allocate a
            // buffer for nothing.
            guard !bio.input.isEmpty || SSL_has_pending(ssl) == 1 else { return nil }
            let buffer = UnsafeMutableRawBufferPointer(rebasing: memory[count...])
            precondition(!buffer.isEmpty, "no room for a record")
            var more = 0
            // Safety: OpenSSL writes `more` bytes, at most the given size.
            let result = SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &more)
            count += more
            if result == 1 { continue }
            switch SSL_get_error(ssl, result) {
            case SSL_ERROR_WANT_READ: return nil
            case SSL_ERROR_ZERO_RETURN: state = state == .closing ? .closed : .peerClosed
            case let cause: return fail(failure(cause))
            }
        }
    }

    /// Encrypts in records of at most 16 KiB.
    func encrypt(_ plaintext: UnsafeRawBufferPointer) -> TLSError? {
        // Header, nonce or content type, and tag need at most 29 bytes with the default ciphers.
        let frameBytes = 32
        let records = (plaintext.count + Self.recordLimit - 1) / Self.recordLimit
        bio.reserve(plaintext.count + records * frameBytes)
        var rest = plaintext
        while !rest.isEmpty {
            let size = min(rest.count, Self.recordLimit)
            var written = 0
            let result = SSL_write_ex(ssl, rest.baseAddress, size, &written)
            // The BIO accepts all bytes, so a write is never partial.
            if result != 1 { return fail(failure(SSL_get_error(ssl, result))) }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
        return nil
    }

    /// Enters the final state `failed`.
    func fail(_ error: TLSError) -> TLSError {
        state = .failed(error)
        return error
    }
}
#endif
