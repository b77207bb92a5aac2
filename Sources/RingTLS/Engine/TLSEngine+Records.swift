#if TLS
internal import CTLS

/// The three calls that move a connection on.
extension TLSEngine {
    /// As far as the input leads.
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

    /// Until the input is used up.
    func decrypt(_ plaintext: (UnsafeRawBufferPointer) -> Void) -> TLSError? {
        switch state {
        case .failed(let error): return error
        case .handshaking, .peerClosed, .closed: return nil
        case .established, .closing: break
        }
        // Not a part of the engine, so that idle connections do not hold it.
        return withUnsafeTemporaryAllocation(byteCount: Self.recordLimit, alignment: 16) { buffer in
            // OpenSSL reads one record at a time, and one fits the buffer: with no input left there
            // is nothing more to ask for. Asking would cost it a buffer, for nothing.
            while !bio.input.isEmpty || SSL_has_pending(ssl) == 1 {
                var count = 0
                // Safety: OpenSSL writes `count` bytes, at most the size that it is given.
                let result = SSL_read_ex(ssl, buffer.baseAddress, buffer.count, &count)
                if result == 1 {
                    plaintext(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
                    continue
                }
                switch SSL_get_error(ssl, result) {
                case SSL_ERROR_WANT_READ: return nil
                case SSL_ERROR_ZERO_RETURN:
                    state = state == .closing ? .closed : .peerClosed
                    return nil
                case let cause: return fail(failure(cause))
                }
            }
            return nil
        }
    }

    /// In records of at most 16 KiB.
    func encrypt(_ plaintext: UnsafeRawBufferPointer) -> TLSError? {
        // Header, nonce or content type, and tag: 29 bytes are the most with the default ciphers.
        let frameBytes = 32
        let records = (plaintext.count + Self.recordLimit - 1) / Self.recordLimit
        bio.reserve(plaintext.count + records * frameBytes)
        var rest = plaintext
        while !rest.isEmpty {
            let size = min(rest.count, Self.recordLimit)
            var written = 0
            let result = SSL_write_ex(ssl, rest.baseAddress, size, &written)
            // The output takes everything, so that no write is left half done.
            if result != 1 { return fail(failure(SSL_get_error(ssl, result))) }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
        return nil
    }

    /// The state for good.
    func fail(_ error: TLSError) -> TLSError {
        state = .failed(error)
        return error
    }
}
#endif
