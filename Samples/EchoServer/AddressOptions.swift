import ArgumentParser

/// The addresses that the server listens on.
struct AddressOptions: ParsableArguments {
    @Option(help: "Address or name to listen on: 127.0.0.1, 0.0.0.0, [::1], localhost.")
    var host = "127.0.0.1"

    @Option(help: "Port to listen on; 0 takes a free one.")
    var port: UInt16 = 7007

    @Flag(help: "Serve UDP on the same port as well.")
    var udp = false

    @Option(help: "Path of a Unix socket to serve as well; @NAME for an abstract one.")
    var unix: String?

    @Option(help: "Permissions of the Unix socket's file, octal, such as 660.")
    var unixMode: FileMode?

    @Option(help: "Port for /metrics and /healthz; 0 takes a free one.")
    var httpPort: UInt16?

    func validate() throws {
        if unixMode != nil && unix == nil {
            throw ValidationError("--unix-mode needs --unix PATH")
        }
    }
}
