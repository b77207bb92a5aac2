#if TLS
import CTLS

@testable import RingTLS

extension Side {
    /// Names another server to the peer than the one whose session is offered.
    func pretend(serverName: String) -> Bool {
        ctls_set_server_name(engine.ssl, serverName) == 1
    }
}
#endif
