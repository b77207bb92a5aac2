import RingNetwork
import SampleSupport
#if TLS
import RingTLS
#endif

extension Mode {
    /// What a server in this mode is asked by `--check`.
    func check(
        _ healthCheck: HealthCheck, _ addresses: AddressOptions, _ security: SecurityOptions
    ) throws {
        let (question, answer): ([UInt8], [UInt8]) =
            switch self {
            case .echo: (Array("health check\n".utf8), Array("health check\n".utf8))
            // It says nothing: to be connected has to do.
            case .discard: ([], [])
            case .chargen: ([], CharacterGenerator.prefix(16))
            }
        var options = ConnectorOptions()
        #if TLS
        if security.certificate != nil {
            // Whether the certificate is good is its clients' business.
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
