import ArgumentParser
import SampleSupport

/// The command to run when changes have settled.
struct RunOptions: ParsableArguments {
    @Option(help: "Shell command to run (/bin/sh) when no change has occurred for --settle.")
    var run: String?

    @Option(help: "How long no change must occur before --run.")
    var settle = TimeSpan(milliseconds: 200)
}
