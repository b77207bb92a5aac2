import ArgumentParser
import RingDispatch
import SampleSupport
import Synchronization

/// The command line program.
@main
struct FileWatchServer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "FileWatchServer",
        abstract: "Reports changes in trees of files to clients: JSON lines, or a web page.",
        discussion: """
            Prints a line that begins with "listening" when all folders that can be watched are \
            watched and clients can connect; standard error names the others. Runs until SIGINT \
            (Ctrl-C) or SIGTERM, then prints a summary.

            Exit status: 0 after a clean stop, 1 when the server cannot start or cannot watch a \
            path of the command line, 64 for wrong options.
            """,
        version: "FileWatchServer \(programVersion)")

    @OptionGroup var watching: WatchOptions
    @OptionGroup(title: "Addresses") var addresses: AddressOptions
    @OptionGroup(title: "Running a command") var running: RunOptions
    @OptionGroup(title: "Runtime") var runtime: RuntimeOptions
    @OptionGroup(title: "Health check") var healthCheck: HealthCheck

    static func main() { start() }

    func run() throws {
        // First: the runtime reads its environment variables only once.
        runtime.apply(startsProcesses: running.run != nil)
        if healthCheck.isWanted {
            return try healthCheck.askHTTP(host: addresses.host, port: addresses.httpPort)
        }
        DescriptorLimit.raise()

        let server = try Server(watching, addresses, running)
        let wake = DispatchSemaphore(value: 0)
        onShutdownSignal {
            server.isStopping.store(true, ordering: .releasing)
            wake.signal()
        }
        server.watch { wake.signal() }
        wake.wait()
        if server.hasBlindRoot.load(ordering: .acquiring) {
            throw Failure("a path on the command line cannot be watched; the reason is above")
        }
        if !server.isStopping.load(ordering: .acquiring) {
            server.activate()
            writeLine(server.announcement)
            wake.wait()
        }
        writeLine(server.stop())
    }
}
