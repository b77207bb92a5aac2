internal import Glibc
internal import RingDispatch
internal import WireFormats

/// When, where and with what a run was made.
public struct RunEnvironment: Sendable {
    /// There is no release yet.
    public static let version = "0.1-dev"

    /// The start of the run, in UTC: `2026-01-31T12:00:00Z`.
    public let date: String
    /// The name of the client's machine. uname(2).
    public let host: String
    /// `Linux 6.18.0 x86_64`.
    public let kernel: String
    /// Those of the machine, with the model if it is known: `2 (AMD EPYC 9B14)`.
    public let processors: String
    /// ringload's version, and whether it was built for debugging.
    public let program: String
    /// As a shell reads it, without the values of headers, which may be secret.
    public let commandLine: String
    /// `io_uring` or `epoll`.
    public let clientBackend: String
    /// The same for the observed process; nil if there is none, or if it cannot be seen.
    public let serverBackend: String?

    /// - Parameter server: the process whose CPU time is reported.
    static func current(server: Int32? = nil) -> RunEnvironment {
        let (system, host, release, machine) = names()
        let model = contents(of: "/proc/cpuinfo")?.split(separator: "\n")
            .first { $0.hasPrefix("model name") }?.split(separator: ": ").last
        let count = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        return RunEnvironment(
            date: utcTime("%Y-%m-%dT%H:%M:%SZ"), host: host,
            kernel: "\(system) \(release) \(machine)",
            processors: "\(count)" + (model.map { " (\($0))" } ?? ""),
            program: "\(version), \(build) build",
            commandLine: commandLine(CommandLine.arguments),
            clientBackend: DispatchRuntime.snapshot().backend,
            serverBackend: server.flatMap(ProcessUsage.backend(ofProcess:)))
    }

    /// The number of CPUs that the main thread may use. proc(5).
    static var usableProcessors: Int {
        let mask = contents(of: "/proc/self/status")?.split(separator: "\n")
            .first { $0.hasPrefix("Cpus_allowed:") }?.split(separator: ":").last
        // The mask also has CPUs that the machine could have.
        let online = sysconf(Int32(_SC_NPROCESSORS_ONLN))
        let allowed = mask?.reduce(0) { $0 + ($1.hexDigitValue ?? 0).nonzeroBitCount }
        return min(allowed ?? online, online)
    }

    static func commandLine(_ arguments: [String]) -> String {
        var words: [String] = []
        for argument in arguments {
            let isHeader = words.last == "--header" || argument.hasPrefix("--header=")
            let word = isHeader ? argument.prefix { $0 != ":" } + ": ..." : argument[...]
            let isPlain = word.allSatisfy {
                $0.isLetter || $0.isNumber || "-_=.,:/@%+".contains($0)
            }
            words.append(
                isPlain && !word.isEmpty
                    ? String(word) : "'\(word.replacing("'", with: #"'\''"#))'")
        }
        return words.joined(separator: " ")
    }

    private static var build: String {
        #if DEBUG
        "debug"
        #else
        "release"
        #endif
    }

    private static func names() -> (String, host: String, release: String, machine: String) {
        var names = utsname()
        uname(&names)
        func text<Field>(_ field: Field) -> String {
            // The kernel ends each field with a NUL.
            withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
        return (
            text(names.sysname), text(names.nodename), text(names.release), text(names.machine)
        )
    }
}
