#if TLS
import CTLS
import Glibc
import RingDispatch
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

    // The leak check would not find what OpenSSL's memory points to.
    @Test(
        "exit(3) is clean while threads are in OpenSSL, even if it frees its memory",
        .enabled(if: !isAddressSanitized), arguments: 0..<4)
    func cleansUp(round: Int) async throws {
        await #expect(processExitsWith: .exitCode(7)) {
            // What OpenSSL does if another library has initialized it first. The other threads get
            // time to use what is freed.
            atexit {
                OPENSSL_cleanup()
                usleep(50_000)
            }
            let (client, server) = (clientConfiguration(), serverConfiguration())
            let hasTalked = DispatchSemaphore(value: 0)
            for _ in 0..<4 {
                _ = UserThread {
                    while let pair = try? EnginePair(client: client, server: server) {
                        pair.connect()
                        for _ in 0..<50 {
                            pair.client.send("ping")
                            pair.exchange()
                        }
                        hasTalked.signal()
                    }
                }
            }
            for _ in 0..<8 { hasTalked.wait() }
            exit(7)
        }
    }
}
#endif
