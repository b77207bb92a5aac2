#if TLS
import CTLS
import Glibc
import RingTLS
import Testing

@Suite("The end of the process")
struct ExitTests {
    @Test("OpenSSL frees nothing that workers may use, even if other code initialized it first")
    func keepsOpenSSL() async throws {
        await #expect(processExitsWith: .success) {
            OPENSSL_init_ssl(0, nil)
            // OpenSSL's own exit handler would call this.
            OPENSSL_atexit { _exit(3) }
            exit(EXIT_SUCCESS)
        }
    }
}
#endif
