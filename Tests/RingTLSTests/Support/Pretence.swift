#if TLS
import CTLS

@testable import RingTLS

extension Side {
    /// Sends another server name than the offered session belongs to.
    func pretend(serverName: String) -> Bool {
        ctls_set_server_name(engine.ssl, serverName) == 1
    }
}
#endif
