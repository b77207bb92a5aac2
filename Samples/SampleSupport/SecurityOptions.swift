package import ArgumentParser

/// TLS options for TCP clients.
package struct SecurityOptions: ParsableArguments {
    @Option(help: "Certificate chain (PEM). With it, TCP clients have to speak TLS.")
    package var certificate: String?

    @Option(help: "Private key of the certificate (PEM).")
    package var privateKey: String?

    package init() {}

    package func validate() throws {
        if (certificate == nil) != (privateKey == nil) {
            throw ValidationError("--certificate and --private-key go together: give both")
        }
        #if !TLS
        if certificate != nil {
            throw ValidationError(
                "--certificate: this server was built without TLS; install libssl-dev and build it "
                    + "with --traits TLS")
        }
        #endif
    }
}
