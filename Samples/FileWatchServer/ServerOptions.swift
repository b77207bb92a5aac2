import ArgumentParser
import FileWatching
import RingDispatch
import SampleSupport

/// Where the server listens.
struct AddressOptions: ParsableArguments {
    @Option(help: "Address or name to listen on: 127.0.0.1, 0.0.0.0, [::1], localhost.")
    var host = "127.0.0.1"

    @Option(help: "Port for lines of JSON; 0 takes a free one.")
    var port: UInt16 = 7008

    @Option(help: "Port for the page, /events, /snapshot, /metrics and /healthz; 0: a free one.")
    var httpPort: UInt16 = 8088

    @Option(help: "Path of a Unix socket that serves lines of JSON, too; @NAME: an abstract one.")
    var unix: String?
}

/// What is watched, and how.
struct WatchOptions: ParsableArguments {
    @Argument(help: "Files and folders to watch, with all that is below them.")
    var paths: [String]

    @Option(help: "Leave out what matches, as in .gitignore; may be given more than once.")
    var ignore: [String] = []

    @Flag(help: "Leave out what the tree's .gitignore files say.")
    var gitignore = false

    @Flag(help: "Watch the folders that symbolic links lead to, too.")
    var followSymlinks = false

    @Option(help: "Gather changes for so long, and tell what they come to; 0: each at once.")
    var window = Window.standard

    @Option(help: "Events that are kept for clients that come back, 1...1000000.")
    var history = 32_768

    static let historyLimits = 1...1_000_000

    func validate() throws {
        guard Self.historyLimits.contains(history) else {
            throw ValidationError(
                "--history \(history): must be \(Self.historyLimits.lowerBound) to "
                    + "\(Self.historyLimits.upperBound) events")
        }
        if paths.contains("") {
            throw ValidationError("PATH '' is empty: name a file or folder, such as .")
        }
    }

    var treeOptions: FileTreeOptions {
        var options = FileTreeOptions()
        options.window = window.span.interval
        options.ignore = ignore
        options.readsGitignore = gitignore
        options.followsSymlinks = followSymlinks
        return options
    }
}

/// What runs when changes have settled.
struct RunOptions: ParsableArguments {
    @Option(help: "Run this with /bin/sh when nothing has changed any more for --settle.")
    var run: String?

    @Option(help: "How long nothing must have changed before --run.")
    var settle = TimeSpan(milliseconds: 200)
}

/// A time span, or a plain 0.
struct Window: ExpressibleByArgument, CustomStringConvertible {
    let span: TimeSpan

    static let standard = Window(span: TimeSpan(milliseconds: 50))

    private init(span: TimeSpan) { self.span = span }

    init?(argument: String) {
        guard let span = TimeSpan(argument == "0" ? "0s" : argument) else { return nil }
        self.span = span
    }

    var description: String { span.description }

    var defaultValueDescription: String { description }
}
