import ArgumentParser
import FileWatching
import RingDispatch
import SampleSupport

/// The paths to watch, and how to watch them.
struct WatchOptions: ParsableArguments {
    @Argument(help: "Files and folders to watch, including everything below them.")
    var paths: [String]

    @Option(help: "Ignore paths that match this .gitignore pattern; may be repeated.")
    var ignore: [String] = []

    @Flag(help: "Ignore what the tree's .gitignore files list.")
    var gitignore = false

    @Flag(help: "Also watch the folders that symbolic links point to.")
    var followSymlinks = false

    @Option(
        help: """
            Coalesce changes for this long before reporting them; 0: report each at once. \
            (default: 50ms)
            """,
        transform: { text in
            if let span = TimeSpan(text == "0" ? "0s" : text) { return span }
            throw ValidationError("write 0, or a time span such as 50ms")
        })
    var window = TimeSpan(milliseconds: 50)

    @Option(
        help: """
            Compare folders on network file systems and FUSE with the disk this often: there the \
            kernel does not report what others change.
            """)
    var pollInterval = TimeSpan(seconds: 5)

    @Flag(help: "Compare all folders at the poll interval, on other file systems as well.")
    var pollEverywhere = false

    @Option(help: "Events to keep for clients that reconnect, 1...1000000.")
    var history = 32_768

    static let historyLimits = 1...1_000_000

    func validate() throws {
        guard Self.historyLimits.contains(history) else {
            throw ValidationError(
                "--history \(history): must be \(Self.historyLimits.lowerBound) to "
                    + "\(Self.historyLimits.upperBound) events")
        }
        if pollInterval.nanoseconds < 100_000_000 {
            throw ValidationError(
                "--poll-interval \(pollInterval): must be at least 100ms, since each comparison "
                    + "lists all folders")
        }
        if paths.contains("") {
            throw ValidationError("PATH '' is empty: name a file or folder, such as .")
        }
    }

    var treeOptions: FileTreeOptions {
        var options = FileTreeOptions()
        options.window = window.interval
        options.ignore = ignore
        options.readsGitignore = gitignore
        options.followsSymlinks = followSymlinks
        options.pollInterval = pollInterval.interval
        options.pollsEverywhere = pollEverywhere
        return options
    }
}
