import ArgumentParser
import SampleSupport

/// What runs when changes have settled.
struct RunOptions: ParsableArguments {
    @Option(help: "Run this with /bin/sh when nothing has changed any more for --settle.")
    var run: String?

    @Option(help: "How long nothing must have changed before --run.")
    var settle = TimeSpan(milliseconds: 200)
}
