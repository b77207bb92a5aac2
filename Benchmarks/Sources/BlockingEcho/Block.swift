import Glibc

/// How the slow connection's handler spends its time on each message.
enum Block: String, Sendable {
    case none
    case sleep
    case compute

    private static let nanoseconds = 50_000_000

    func run() {
        guard self != .none else { return }
        let end = Self.now() + Self.nanoseconds
        switch self {
        case .none:
            break
        case .sleep:
            // usleep(3) may return early after a signal.
            while Self.now() < end {
                usleep(UInt32(max(end - Self.now(), 0) / 1_000 + 1))
            }
        case .compute:
            while Self.now() < end {}
        }
    }

    private static func now() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }
}

/// The argument after `name`.
func option(_ name: String) -> String? {
    let arguments = CommandLine.arguments
    let index = arguments.firstIndex(of: name).map { $0 + 1 }
    return index.flatMap { $0 < arguments.count ? arguments[$0] : nil }
}

func exitWithUsage(_ further: String = "") -> Never {
    print("usage: \(CommandLine.arguments[0]) [--port 0]\(further) [--block none|sleep|compute]")
    exit(2)
}
