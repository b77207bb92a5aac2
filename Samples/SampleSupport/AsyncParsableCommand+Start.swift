package import ArgumentParser

extension AsyncParsableCommand {
    /// Like ``ParsableCommand/start()``, for a command whose `run` is asynchronous.
    package static func start() async { await main(commandArguments) }
}
