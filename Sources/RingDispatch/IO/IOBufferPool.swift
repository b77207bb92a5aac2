internal import LinuxPlatform
internal import Synchronization

/// The process's idle read buffers, by size.
enum IOBufferPool {
    enum Size: Int, Sendable, CaseIterable {
        case small
        case medium
        case large

        var bytes: Int {
            switch self {
            case .small: 8192
            case .medium: 65_536
            case .large: IOBufferPool.largest
            }
        }

        /// The idle buffers kept at most.
        var mostIdle: Int {
            switch self {
            case .small: 256
            case .medium: 64
            case .large: 128
            }
        }

        static func fitting(_ count: Int) -> Size {
            count <= Size.small.bytes ? .small : count <= Size.medium.bytes ? .medium : .large
        }
    }

    static let largest = 262_144
    /// Buffers unused for this time are freed.
    static let idleMilliseconds = 1000

    private struct Shelf {
        var idle: [OwnedMemory] = []
        /// The minimum of `idle.count` since the last trim: buffers that no one needed.
        var unneeded = 0
    }

    private struct State {
        var shelves = [Shelf](repeating: Shelf(), count: Size.allCases.count)
        var isTrimPlanned = false
    }

    private static let state = Locked(State())
    /// The number of buffers in use. Relaxed: only tests and statistics read it.
    private static let used = Atomic<Int>(0)

    static var usedCount: Int { used.load(ordering: .relaxed) }

    static func take(_ size: Size) -> UnsafeMutableRawPointer {
        used.wrappingAdd(1, ordering: .relaxed)
        let found = state.withLock { state -> OwnedMemory? in
            let index = size.rawValue
            guard let memory = state.shelves[index].idle.popLast() else { return nil }
            let left = state.shelves[index].idle.count
            if left < state.shelves[index].unneeded { state.shelves[index].unneeded = left }
            return memory
        }
        return found?.start ?? PageMemory.allocate(size.bytes)
    }

    static func giveBack(_ start: UnsafeMutableRawPointer, _ size: Size) {
        used.wrappingSubtract(1, ordering: .relaxed)
        let memory = OwnedMemory(start: start)
        let (isKept, mustPlan) = state.withLock { state -> (Bool, Bool) in
            guard state.shelves[size.rawValue].idle.count < size.mostIdle else {
                return (false, false)
            }
            state.shelves[size.rawValue].idle.append(memory)
            return (true, !exchange(&state.isTrimPlanned, with: true))
        }
        if !isKept { PageMemory.free(start, size.bytes) }
        if mustPlan { planTrim() }
    }

    private static func planTrim() {
        DispatchQueue.global(qos: .utility).asyncAfter(
            deadline: .now() + .milliseconds(idleMilliseconds)
        ) { trim() }
    }

    private static func trim() {
        let (surplus, mustPlan) = state.withLock { state -> ([(OwnedMemory, Int)], Bool) in
            var surplus: [(OwnedMemory, Int)] = []
            var rest = 0
            for size in Size.allCases {
                let index = size.rawValue
                for _ in 0..<state.shelves[index].unneeded {
                    guard let memory = state.shelves[index].idle.popLast() else { break }
                    surplus.append((memory, size.bytes))
                }
                state.shelves[index].unneeded = state.shelves[index].idle.count
                rest += state.shelves[index].idle.count
            }
            state.isTrimPlanned = rest > 0
            return (surplus, rest > 0)
        }
        for (memory, bytes) in surplus { PageMemory.free(memory.start, bytes) }
        if mustPlan { planTrim() }
    }
}
