import Testing

/// A self-signed certificate and its key, made by openssl(1).
struct Certificate {
    let path: String
    let keyPath: String

    /// The options of the servers that use it.
    var arguments: [String] { ["--certificate", path, "--private-key", keyPath] }

    /// - Parameter name: the common name.
    init(in folder: Folder, name: String = "a") throws {
        path = folder.path + "/certificate.pem"
        keyPath = folder.path + "/key.pem"
        let maker = try Program.start(
            "/bin/sh",
            [
                "-c",
                "exec openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "
                    + "-subj /CN=\(name) -days 2 -out \(path) -keyout \(keyPath)",
            ])
        #expect(try maker.waitForEnd() == .exit(0), "\(maker.words)")
    }
}
