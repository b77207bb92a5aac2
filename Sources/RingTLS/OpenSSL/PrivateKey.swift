#if TLS
internal import CTLS

/// An owned reference to an OpenSSL EVP_PKEY.
final class PrivateKey {
    let handle: OpaquePointer

    init(adopting handle: OpaquePointer) {
        self.handle = handle
    }

    deinit { EVP_PKEY_free(handle) }
}
#endif
