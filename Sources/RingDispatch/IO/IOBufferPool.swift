internal import LinuxPlatform
internal import Synchronization

/// The process's idle read buffers of one size.
final class IOBufferPool: Sendable {
    static let small = IOBufferPool(bytes: 8192, mostIdle: 256)
    static let medium = IOBufferPool(bytes: 65_536, mostIdle: 64)
    static let large = IOBufferPool(bytes: 262_144, mostIdle: 128)

    /// The buffers for `count` bytes, or the largest ones.
    static func fitting(_ count: Int) -> IOBufferPool {
        count <= small.bytes ? small : count <= medium.bytes ? medium : large
    }

    /// Buffers unused for this time are freed.
    static let idleMilliseconds = 1000

    let bytes: Int
    /// The idle buffers kept at most.
    private let mostIdle: Int
    private let state = Locked(State())

    private struct State {
        var idle: [OwnedMemory] = []
        /// The minimum of `idle.count` since the last trim: buffers that no one needed.
        var unneeded = 0
        var isTrimPlanned = false
    }

    private init(bytes: Int, mostIdle: Int) {
        self.bytes = bytes
        self.mostIdle = mostIdle
    }

    func take() -> UnsafeMutableRawPointer {
        IOStatistics.liveBuffers.wrappingAdd(1, ordering: .relaxed)
        let found = state.withLock { state -> OwnedMemory? in
            guard let memory = state.idle.popLast() else { return nil }
            state.unneeded = min(state.unneeded, state.idle.count)
            return memory
        }
        return found?.start ?? PageMemory.allocate(bytes)
    }

    func giveBack(_ start: UnsafeMutableRawPointer) {
        IOStatistics.liveBuffers.wrappingSubtract(1, ordering: .relaxed)
        let memory = OwnedMemory(start: start)
        let (isKept, mustPlan) = state.withLock { state -> (Bool, Bool) in
            guard state.idle.count < mostIdle else { return (false, false) }
            state.idle.append(memory)
            return (true, !exchange(&state.isTrimPlanned, with: true))
        }
        if !isKept { PageMemory.free(start, bytes) }
        if mustPlan { planTrim() }
    }

    private func planTrim() {
        DispatchQueue.global(qos: .utility).asyncAfter(
            deadline: .now() + .milliseconds(IOBufferPool.idleMilliseconds)
        ) { self.trim() }
    }

    private func trim() {
        let (surplus, mustPlan) = state.withLock { state in
            let surplus = Array(state.idle.suffix(state.unneeded))
            state.idle.removeLast(surplus.count)
            state.unneeded = state.idle.count
            state.isTrimPlanned = !state.idle.isEmpty
            return (surplus, state.isTrimPlanned)
        }
        for memory in surplus { PageMemory.free(memory.start, bytes) }
        if mustPlan { planTrim() }
    }
}
