import CProcessWaiting
import Glibc

/// How the slow connection's handler spends its time on each message.
enum Block: String, CaseIterable, Sendable {
    case none
    case sleep
    case compute
    /// Waits until a child has slept and ended. The thread sleeps uninterruptibly meanwhile.
    case vfork
    /// Writes 1 MiB to a new file (`--file`) and waits for the disk. Not limited to 50 ms.
    case fsync

    private static let nanoseconds = 50_000_000
    private static let path = option("--file") ?? "blocking-echo.data"
    private static let bytes = [UInt8](repeating: 0x61, count: 1 << 20)

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
        case .vfork:
            benchmark_block_in_vfork(UInt32(Self.nanoseconds / 1_000))
        case .fsync:
            Self.writeFile()
        }
    }

    private static func writeFile() {
        let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        precondition(file >= 0, "\(path): errno \(errno)")
        precondition(write(file, bytes, bytes.count) == bytes.count, "\(path): errno \(errno)")
        precondition(Glibc.fsync(file) == 0, "\(path): errno \(errno)")
        close(file)
        unlink(path)
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
    let blocks = Block.allCases.map(\.rawValue).joined(separator: "|")
    let usage = "\(CommandLine.arguments[0]) [--port 0]\(further)"
    print("usage: \(usage) [--block \(blocks)] [--file PATH]")
    exit(2)
}
