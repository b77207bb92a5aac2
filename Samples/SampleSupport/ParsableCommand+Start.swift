package import ArgumentParser

extension ParsableCommand {
    /// Like `main()`, but reads `--port -1` as `--port=-1`. ArgumentParser would read `-1` as an
    /// option, and report that the port is missing.
    package static func start() { main(commandArguments) }

    static var commandArguments: [String] {
        CommandLine.arguments.dropFirst().reduce(into: [String]()) { list, next in
            let isNegative = next.first == "-" && next.dropFirst().first?.isNumber == true
            if isNegative, let option = list.last, option.hasPrefix("--"), option.count > 2 {
                list[list.count - 1] = "\(option)=\(next)"
            } else {
                list.append(next)
            }
        }
    }
}
