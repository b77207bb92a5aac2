import RingNetwork
import SampleSupport
#if TLS
import RingTLS
#endif

extension Mode {
    /// Runs `--check`: over HTTP if its port is known, since a server with `--max-connections` may
    /// be full; otherwise with the question and answer that suit this mode.
    func check(
        _ healthCheck: HealthCheck, _ addresses: AddressOptions, _ security: SecurityOptions
    ) throws {
        if let port = addresses.httpPort, port > 0 {
            return try healthCheck.askHTTP(host: addresses.host, port: port)
        }
        let (question, answer): ([UInt8], [UInt8]) =
            switch self {
            case .echo: (Array("health check\n".utf8), Array("health check\n".utf8))
            // A discard server sends nothing: connecting has to suffice.
            case .discard: ([], [])
            case .chargen: ([], CharacterGenerator.prefix(16))
            }
        var options = ConnectorOptions()
        #if TLS
        if security.certificate != nil {
            // Whether the certificate is valid is not checked.
            var configuration = TLSConfiguration.client()
            configuration.verification = .none
            options.tls = try TLSContext(configuration)
        }
        #endif
        try healthCheck.ask(
            question, expecting: answer, host: addresses.host, port: addresses.port,
            options: options)
    }
}
