import Glibc
import Testing

/// What the runtime finds, and what it was told: each case is tested in each of them.
enum Setting: String, CaseIterable, CustomTestStringConvertible {
    case ioUring = "io_uring"
    case epoll
    /// Told nothing, and io_uring is refused as in a container.
    case refused = "io_uring refused"

    var testDescription: String { rawValue }

    /// Those that this machine has: a container that refuses io_uring still tests the others.
    static let usable = hasIOUring ? Array(allCases) : [.epoll, .refused]

    /// Whether a program that may choose its back end chooses io_uring here.
    private static let hasIOUring: Bool = {
        guard let process = try? Program.gcdEcho.start(["--port", "0"]) else { return false }
        defer { process.send(SIGKILL) }
        let line = try? process.errors.waitForLine(beginning: "RingDispatch: ")
        return line?.hasPrefix("io_uring") == true
    }()

    var environment: [String] {
        switch self {
        case .ioUring: ["RINGDISPATCH_BACKEND=io_uring"]
        case .epoll: ["RINGDISPATCH_BACKEND=epoll"]
        case .refused: []
        }
    }

    var refusal: Refusal? { self == .refused ? Refusal() : nil }

    /// The back end in the runtime's line about itself.
    var backendName: String { self == .ioUring ? "io_uring" : "epoll" }
}
