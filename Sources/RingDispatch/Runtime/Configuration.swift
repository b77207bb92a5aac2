internal import LinuxPlatform

/// The runtime's settings, from environment variables.
///
/// | variable | meaning | default |
/// |---|---|---|
/// | `RINGDISPATCH_BACKEND` | `auto`, `io_uring` or `epoll` | `auto` |
/// | `RINGDISPATCH_LOOPS` | loops, 1 to 256 | the CPUs that may be used |
/// | `RINGDISPATCH_WORKERS` | most threads of each pool, 2 to 32768, and more than loops | 1024 |
/// | `RINGDISPATCH_LOG` | `off`: no line about the back end | `on` |
/// | `RINGDISPATCH_STALLS` | reports handlers that run longer, in ms, 10 to 3600000 | none |
/// | `RINGDISPATCH_TRACE` | the file that gets a trace when the process exits | none |
struct Configuration: Sendable {
    /// Nil: `auto`.
    var backend: Backend.Kind?
    var loops = 1
    var workers = Configuration.defaultWorkers
    var isLogging = true
    /// 0: stalls are not reported.
    var stallNanoseconds: UInt64 = 0
    var traceFile: String?

    static let loopRange = 1...256
    static let workerRange = 2...32_768
    static let defaultWorkers = 1024
    static let stallRange = 10...3_600_000

    static func fromEnvironment() -> Configuration {
        do {
            var configuration = try Configuration(
                variable: Environment.value, usableCPUs: CPUCount.usable)
            // It would replace files that only the program may write.
            if Environment.isUntrusted { configuration.traceFile = nil }
            return configuration
        } catch {
            fatalConfiguration(error.message)
        }
    }

    struct Invalid: Error {
        let message: String
    }

    init(variable: (String) -> String?, usableCPUs: Int) throws(Invalid) {
        func number(_ name: String, _ range: ClosedRange<Int>) throws(Invalid) -> Int? {
            guard let value = variable(name), !value.isEmpty else { return nil }
            guard let number = Int(value), range.contains(number) else {
                throw Invalid(
                    message: "\(name) is '\(value)'; it must be a number from "
                        + "\(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        if let value = variable("RINGDISPATCH_BACKEND"), !value.isEmpty, value != "auto" {
            guard let kind = Backend.Kind(rawValue: value) else {
                throw Invalid(
                    message: "RINGDISPATCH_BACKEND is '\(value)'; "
                        + "it must be auto, io_uring or epoll")
            }
            backend = kind
        }
        workers = try number("RINGDISPATCH_WORKERS", Configuration.workerRange) ?? workers
        loops = min(usableCPUs, Configuration.loopRange.upperBound, workers - 1)
        if let count = try number("RINGDISPATCH_LOOPS", Configuration.loopRange) {
            guard count < workers else {
                throw Invalid(
                    message: "RINGDISPATCH_WORKERS is '\(workers)'; it must be more than the "
                        + "\(count) event loops of RINGDISPATCH_LOOPS, each of which needs a "
                        + "thread while others are blocked in handlers")
            }
            loops = count
        }
        if let milliseconds = try number("RINGDISPATCH_STALLS", Configuration.stallRange) {
            stallNanoseconds = UInt64(milliseconds) * 1_000_000
        }
        if let path = variable("RINGDISPATCH_TRACE"), !path.isEmpty { traceFile = path }
        isLogging = variable("RINGDISPATCH_LOG") != "off"
    }
}
