import ArgumentParser
import Glibc
import RingDispatch
import SampleSupport

/// The command: options, set-up, serve, summary.
@main
struct EchoServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "EchoServer",
        abstract: "A TCP echo server on RingDispatch: one serial queue and read source a client.",
        discussion: "Runs until SIGINT (Ctrl-C) or SIGTERM, then prints a summary.")

    @Option(help: "Address or name to listen on: 127.0.0.1, 0.0.0.0, [::1], localhost.")
    var host = "127.0.0.1"

    @Option(help: "Port to listen on; 0 takes a free one.")
    var port: UInt16 = 7007

    @OptionGroup var runtime: RuntimeOptions

    func run() throws {
        // Both first: threads inherit the mask, and the runtime reads its settings once.
        let mask = ShutdownSignals.block()
        runtime.apply()
        ignoreBrokenPipes()
        raiseDescriptorLimit()

        let socket = try openListeningSocket(host: host, port: port)
        let shutdown = DispatchSemaphore(value: 0)
        let signals = try ShutdownSignals(mask: mask, signalling: shutdown)

        writeLine("listening on \(localAddress(of: socket))")
        let outcome = try Server().run(listeningOn: socket, until: shutdown) {
            // From here on a second signal ends the program at once.
            signals.restoreDefaults()
        }
        writeLine(outcome.statistics.summary)
        guard outcome.openConnections == 0 else {
            throw Failure(
                "\(outcome.openConnections) connections did not close within "
                    + "\(Server.closingTimeoutSeconds) s: this is a bug, please report it")
        }
    }
}
