import SampleSupport

extension RuntimeOptions {
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
}
