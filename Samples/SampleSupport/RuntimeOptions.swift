package import ArgumentParser
internal import Glibc

/// The runtime's settings. It reads them from the environment when it is first used.
package struct RuntimeOptions: ParsableArguments {
    package init() {}

    @Option(
        help: "Event loops: event loops, each with a ring of its own, 1...256 (default: the CPUs).")
    package var loops: Int?

    @Option(help: "Kernel interface (default: RINGDISPATCH_BACKEND, or auto; ringload: epoll).")
    package var backend: Backend?

    package static let loopLimits = 1...256

    package func validate() throws {
        if let loops, !Self.loopLimits.contains(loops) {
            throw ValidationError(
                "--loops \(loops): must be \(Self.loopLimits.lowerBound) to "
                    + "\(Self.loopLimits.upperBound); the default is one per CPU")
        }
    }

    /// Call before the first queue or source is made. Does what the first process of a container
    /// has to, too.
    /// - Parameters:
    ///   - startsProcesses: the program wants to know how others have ended. Orphans are left to an
    ///     init then.
    ///   - preferred: the kernel interface where nobody asks for one.
    package func apply(startsProcesses: Bool = false, preferring preferred: Backend = .auto) {
        if !startsProcesses { FirstProcess.leaveOrphansToTheKernel() }
        if let loops { setenv("RINGDISPATCH_LOOPS", String(loops), 1) }
        let isAskedFor = backend != nil
        setenv("RINGDISPATCH_BACKEND", (backend ?? preferred).rawValue, isAskedFor ? 1 : 0)
    }
}
