package import ArgumentParser
internal import Glibc

/// Settings of the runtime. The runtime reads them from the environment at its first use.
package struct RuntimeOptions: ParsableArguments {
    package init() {}

    @Option(
        help: "Event loops, 1...256 (default: one per CPU).")
    package var loops: Int?

    @Option(help: "I/O back end (default: RINGDISPATCH_BACKEND, or auto; ringload: epoll).")
    package var backend: Backend?

    package static let loopLimits = 1...256

    package func validate() throws {
        if let loops, !Self.loopLimits.contains(loops) {
            throw ValidationError(
                "--loops \(loops): must be \(Self.loopLimits.lowerBound) to "
                    + "\(Self.loopLimits.upperBound) event loops; the default is one per CPU")
        }
    }

    /// The environment before `apply(startsProcesses: true)`, for these processes; ends with nil.
    package nonisolated(unsafe) static let environment: [UnsafeMutablePointer<CChar>?] = {
        // Safety: nobody changes or frees the copies.
        var copies: [UnsafeMutablePointer<CChar>?] = []
        while let variable = environ[copies.count] { copies.append(strdup(variable)) }
        return copies + [nil]
    }()

    /// Sets the environment variables, and prepares process 1 of a container. A write to a pipe
    /// that nobody reads becomes an error. Call before creating the first queue or source.
    /// - Parameters:
    ///   - startsProcesses: the program waits for child processes, so it leaves orphans to an init.
    ///   - preferred: the back end when neither the option nor the environment names one.
    package func apply(startsProcesses: Bool = false, preferring preferred: Backend? = nil) {
        signal(SIGPIPE, SIG_IGN)
        FirstProcess.endBySignals(true)
        if startsProcesses {
            _ = Self.environment
            // The program may be started with SIGCHLD ignored. The kernel would drop their status.
            signal(SIGCHLD, SIG_DFL)
        } else {
            FirstProcess.leaveOrphansToTheKernel()
        }
        if let loops { setenv("RINGDISPATCH_LOOPS", String(loops), 1) }
        // An empty value counts as unset.
        let isNamed = getenv("RINGDISPATCH_BACKEND").map { $0.pointee != 0 } ?? false
        if let backend = backend ?? (isNamed ? nil : preferred) {
            setenv("RINGDISPATCH_BACKEND", backend.rawValue, 1)
        }
    }
}
