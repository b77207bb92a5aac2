// Keeps OpenSSL from cleaning up at exit.
//
// exit(3) runs exit handlers while other threads go on. OpenSSL's handler frees what workers may be
// using at that moment for TLS, which crashes the process on its way out. The kernel frees all
// memory anyway. Only the first call of all can keep OpenSSL from it, and another library of the
// program may make that call. Therefore it is made here, before main() and before all use.
#ifdef CLINUX_TLS
#include <stddef.h>
#include <stdint.h>

// openssl/crypto.h. Weak: a program that does not use TLS is not linked with OpenSSL.
__attribute__((weak)) int OPENSSL_init_crypto(uint64_t options, const void *settings);
static const uint64_t OPENSSL_INIT_NO_ATEXIT_OPTION = 0x00080000;

__attribute__((constructor)) static void clinux_keep_openssl(void) {
    if (OPENSSL_init_crypto) OPENSSL_init_crypto(OPENSSL_INIT_NO_ATEXIT_OPTION, NULL);
}
#endif
