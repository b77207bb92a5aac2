import ArgumentParser
import SampleSupport

/// The addresses that the server listens on.
struct AddressOptions: ParsableArguments {
    @Option(help: "Address or name to listen on: 127.0.0.1, 0.0.0.0, [::1], localhost.")
    var host = "127.0.0.1"

    @Option(help: "Port for JSON lines; 0 takes a free one.")
    var port: UInt16 = 7008

    @Option(help: "Port for the page, /events, /snapshot, /metrics and /healthz; 0: a free one.")
    var httpPort: UInt16 = 8088

    @Option(help: "Path of a Unix socket that serves JSON lines as well; @NAME: an abstract one.")
    var unix: String?

    @Option(help: "Disconnect an HTTP client that sends or reads too slowly for this long.")
    var httpPatience = TimeSpan(seconds: 20)

    func validate() throws {
        guard httpPatience.seconds >= 1 else {
            throw ValidationError("--http-patience \(httpPatience): must be at least 1s")
        }
    }
}
