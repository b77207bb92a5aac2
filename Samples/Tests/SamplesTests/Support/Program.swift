import Glibc
import Testing

/// A sample program, built with the tests.
enum Program: String, CaseIterable, CustomTestStringConvertible {
    case chatServer = "ChatServer"
    case echoServer = "EchoServer"
    case gcdEcho = "GCDEcho"
    case keyValueServer = "KeyValueServer"
    case fileWatchServer = "FileWatchServer"
    case proxy = "Proxy"
    case ringload

    static let servers = [echoServer, gcdEcho]

    var testDescription: String { rawValue }

    /// The options that make a server listen on a free port of 127.0.0.1.
    var freePort: [String] { self == .proxy ? ["--listen", "127.0.0.1:0"] : ["--port", "0"] }

    /// The folder of the test program, which also contains the executables.
    private static let buildProducts: String = {
        var path = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = readlink("/proc/self/exe", &path, path.count)
        precondition(length > 0, "readlink /proc/self/exe")
        let bytes = path[..<length].map { UInt8(bitPattern: $0) }
        let executable = String(decoding: bytes, as: UTF8.self)
        return String(executable[..<(executable.lastIndex(of: "/") ?? executable.startIndex)])
    }()

    var path: String { Self.path(of: rawValue) }

    static func path(of program: String) -> String { buildProducts + "/" + program }

    static var launcherPath: String { buildProducts + "/refuse-io-uring" }
}

extension Program {
    /// The longest life of a program, even if the test run is killed.
    private static let longestLifeSeconds = 4 * Patience.seconds

    /// - Parameter descriptors: `ulimit -n`.
    func start(
        _ arguments: [String] = [], environment: [String] = [], refusal: Refusal? = nil,
        descriptors: Int? = nil
    ) throws -> ChildProcess {
        try Self.start(
            path, arguments, environment: environment, refusal: refusal, descriptors: descriptors)
    }

    /// Starts any program, by its path.
    static func start(
        _ path: String, _ arguments: [String] = [], environment: [String] = [],
        refusal: Refusal? = nil, descriptors: Int? = nil,
        longestLifeSeconds: Int = Self.longestLifeSeconds
    ) throws -> ChildProcess {
        guard access(path, X_OK) == 0 else {
            throw Trouble("\(path) is missing: run swift build --build-tests")
        }
        var command = [launcherPath, "--seconds", String(longestLifeSeconds)]
        command += refusal?.launcherOptions ?? ["--only", "none"]
        if let descriptors {
            command += ["/bin/sh", "-c", "ulimit -n \(descriptors) && exec \"$0\" \"$@\""]
        }
        command += [path] + arguments
        return try ChildProcess(command, environment: cleanEnvironment + environment)
    }

    func start(_ arguments: [String] = [], _ setting: Setting) throws -> ChildProcess {
        try start(arguments, environment: setting.environment, refusal: setting.refusal)
    }

    /// The environment without the runtime's variables, so that tests do not depend on them.
    private static let cleanEnvironment: [String] = {
        var variables = ["SWIFT_BACKTRACE=enable=no"]
        var next = environ
        while let variable = next.pointee {
            let text = String(cString: variable)
            if !text.hasPrefix("RINGDISPATCH_"), !text.hasPrefix("SWIFT_BACKTRACE=") {
                variables.append(text)
            }
            next += 1
        }
        return variables
    }()
}
