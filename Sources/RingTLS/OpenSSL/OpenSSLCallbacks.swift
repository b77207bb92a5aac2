#if TLS
internal import CTLS
internal import LinuxPlatform

/// The callbacks of OpenSSL during a handshake. Each runs inside an OpenSSL call of an engine, on
/// the engine's queue, and finds the engine through its SSL object.
enum OpenSSLCallbacks {
    /// Called before the context is shared.
    static func install(on context: TLSContext) {
        let handle = context.handle
        let configuration = context.configuration
        SSL_CTX_set_info_callback(handle) { ssl, place, value in
            guard place & SSL_CB_ALERT != 0, let engine = TLSEngine.of(ssl) else { return }
            // The level is in the upper byte.
            let alert = TLSAlert(code: UInt8(truncatingIfNeeded: value))
            if place & SSL_CB_WRITE != 0 {
                engine.sentAlert = alert
            } else {
                engine.receivedAlert = alert
            }
        }
        if case .custom = configuration.trustRoots, configuration.verification != .none {
            SSL_CTX_set_cert_verify_callback(
                handle, { store, _ in OpenSSLCallbacks.judge(store) }, nil)
        }
        switch configuration.role {
        case .client:
            if context.sessions == nil { return }
            SSL_CTX_sess_set_new_cb(handle) { ssl, session in
                // 1 takes ownership of the reference.
                guard let session, let engine = TLSEngine.of(ssl), let name = engine.serverName,
                    let sessions = engine.context.sessions
                else { return 0 }
                sessions.store(adopting: session, for: name)
                return 1
            }
        case .server:
            SSL_CTX_set_client_hello_cb(
                handle, { ssl, alert, _ in OpenSSLCallbacks.chooseContext(ssl, alert) }, nil)
            // Acknowledges the client's SNI extension.
            ctls_context_set_server_name_callback(handle) { ssl, _, _ in
                TLSEngine.of(ssl)?.serverName == nil ? SSL_TLSEXT_ERR_NOACK : SSL_TLSEXT_ERR_OK
            }
            SSL_CTX_set_alpn_select_cb(
                handle,
                { ssl, chosen, count, offered, size, _ in
                    OpenSSLCallbacks.chooseProtocol(ssl, chosen, count, offered, size)
                }, nil)
        }
    }

    /// Stores the engine in the SSL object's application data, where the callbacks find it.
    static func attach(_ engine: TLSEngine, to ssl: OpaquePointer) {
        SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(engine).toOpaque())
    }

    /// Verifies by `TLSTrustRoots.custom` in place of X509_verify_cert(3).
    private static func judge(_ store: OpaquePointer?) -> Int32 {
        let index = SSL_get_ex_data_X509_STORE_CTX_idx()
        guard let pointer = X509_STORE_CTX_get_ex_data(store, index),
            let engine = TLSEngine.of(OpaquePointer(pointer)),
            case .custom(let accepts) = engine.context.configuration.trustRoots
        else { return 0 }
        let chain = Certificate.ders(X509_STORE_CTX_get0_untrusted(store))
        let isAccepted = accepts(chain, engine.serverName)
        X509_STORE_CTX_set_error(
            store, isAccepted ? X509_V_OK : X509_V_ERR_APPLICATION_VERIFICATION)
        return isAccepted ? 1 : 0
    }

    /// Chooses the context by SNI, before OpenSSL has processed the ClientHello.
    private static func chooseContext(
        _ ssl: OpaquePointer?, _ alert: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        guard let ssl, let engine = TLSEngine.of(ssl) else { return SSL_CLIENT_HELLO_ERROR }
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        let kind = UInt32(TLSEXT_TYPE_server_name)
        let isThere = SSL_client_hello_get0_ext(ssl, kind, &bytes, &count) == 1
        let content = UnsafeBufferPointer(start: bytes, count: count)
        guard isThere, let name = ServerNameExtension.name(content) else {
            return SSL_CLIENT_HELLO_SUCCESS
        }
        if engine.chooseContext(for: name) { return SSL_CLIENT_HELLO_SUCCESS }
        alert?.pointee = SSL_AD_UNRECOGNIZED_NAME
        return SSL_CLIENT_HELLO_ERROR
    }

    /// Chooses, by ALPN, the first of the server's protocols that the client offers.
    private static func chooseProtocol(
        _ ssl: OpaquePointer?, _ chosen: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
        _ chosenCount: UnsafeMutablePointer<UInt8>?, _ offered: UnsafePointer<UInt8>?,
        _ size: UInt32
    ) -> Int32 {
        guard let engine = TLSEngine.of(ssl), let chosen, let chosenCount, let offered else {
            return SSL_TLSEXT_ERR_NOACK
        }
        let own = engine.context.applicationProtocols
        if own.isEmpty { return SSL_TLSEXT_ERR_NOACK }
        // Safety: the result points into the context's list, and OpenSSL copies it before it can
        // let go of the context.
        var name: UnsafeMutablePointer<UInt8>?
        let outcome = SSL_select_next_proto(
            &name, chosenCount, own.baseAddress, UInt32(own.count), offered, size)
        guard outcome == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
        chosen.pointee = UnsafePointer(name)
        return SSL_TLSEXT_ERR_OK
    }
}

extension TLSEngine {
    /// Safety: the engine owns its SSL object and frees it in `deinit`, so no callback outlives it.
    fileprivate static func of(_ ssl: OpaquePointer?) -> TLSEngine? {
        guard let ssl, let pointer = SSL_get_ex_data(ssl, 0) else { return nil }
        return Unmanaged<TLSEngine>.fromOpaque(pointer).takeUnretainedValue()
    }
}
#endif
