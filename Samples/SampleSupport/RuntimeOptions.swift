package import ArgumentParser
internal import Glibc

/// The runtime's settings. It reads them from the environment when it is first used.
package struct RuntimeOptions: ParsableArguments {
    package init() {}

    @Option(help: "Lanes: event loops, each with a ring of its own, 1...256 (default: the CPUs).")
    package var lanes: Int?

    @Option(help: "Kernel interface (default: RINGDISPATCH_BACKEND, or auto; ringload: epoll).")
    package var backend: Backend?

    package static let laneLimits = 1...256

    package func validate() throws {
        if let lanes, !Self.laneLimits.contains(lanes) {
            throw ValidationError(
                "--lanes \(lanes): must be \(Self.laneLimits.lowerBound) to "
                    + "\(Self.laneLimits.upperBound); the default is one per CPU")
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
        if let lanes { setenv("RINGDISPATCH_LANES", String(lanes), 1) }
        let isAskedFor = backend != nil
        setenv("RINGDISPATCH_BACKEND", (backend ?? preferred).rawValue, isAskedFor ? 1 : 0)
    }
}
