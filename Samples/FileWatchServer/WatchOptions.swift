import ArgumentParser
import FileWatching
import RingDispatch
import SampleSupport

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
