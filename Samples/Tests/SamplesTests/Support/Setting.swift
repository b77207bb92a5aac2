import Glibc
import Testing

/// The back end that the runtime uses, and why. Tests run with each setting.
enum Setting: String, CaseIterable, CustomTestStringConvertible {
    case ioUring = "io_uring"
    case epoll
    /// No back end is requested, and io_uring is refused as in a container.
    case refused = "io_uring refused"

    var testDescription: String { rawValue }

    /// The settings that this machine supports: without io_uring, the others are still tested.
    static let usable = hasIOUring ? Array(allCases) : [.epoll, .refused]

    /// Whether the runtime chooses io_uring on this machine.
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

    /// The back end's name in the runtime's log line.
    var backendName: String { self == .ioUring ? "io_uring" : "epoll" }
}
