#if TLS
internal import CTLS

/// One reference to an EVP_PKEY object of OpenSSL.
final class PrivateKey {
    let handle: OpaquePointer

    init(adopting handle: OpaquePointer) {
        self.handle = handle
    }

    deinit { EVP_PKEY_free(handle) }
}
#endif
