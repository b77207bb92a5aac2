import ArgumentParser

/// Which kernel interface the runtime uses (`RINGDISPATCH_BACKEND`).
enum Backend: String, ExpressibleByArgument, CaseIterable {
    /// io_uring, or epoll where io_uring is refused.
    case auto
    case ioUring = "io_uring"
    case epoll
}

/// The runtime's settings. It reads them from the environment when it is first used.
struct RuntimeOptions: ParsableArguments {
    @Option(help: "Lanes: event loops, each with a ring of its own, 1...256 (default: the CPUs).")
    var lanes: Int?

    @Option(help: "Kernel interface (default: RINGDISPATCH_BACKEND, else auto).")
    var backend: Backend?

    /// How many lanes the runtime will have: what was asked for, or one per usable CPU.
    var laneCount: Int {
        if let lanes { return lanes }
        // The runtime itself says what is wrong with a value out of range.
        let asked = environment("RINGDISPATCH_LANES").flatMap { Int($0) }
        return asked.flatMap { Self.laneLimits.contains($0) ? $0 : nil } ?? usableProcessors()
    }

    var backendName: String {
        backend?.rawValue ?? environment("RINGDISPATCH_BACKEND") ?? Backend.auto.rawValue
    }

    static let laneLimits = 1...256

    func validate() throws {
        if let lanes, !Self.laneLimits.contains(lanes) {
            throw ValidationError(
                "--lanes \(lanes): must be \(Self.laneLimits.lowerBound) to "
                    + "\(Self.laneLimits.upperBound); the default is one per CPU")
        }
    }

    /// Call before the first queue or source is made.
    func apply() {
        if let lanes { setEnvironment("RINGDISPATCH_LANES", to: String(lanes)) }
        if let backend { setEnvironment("RINGDISPATCH_BACKEND", to: backend.rawValue) }
    }
}
