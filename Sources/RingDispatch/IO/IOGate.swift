/// The order in which a descriptor's operations and barriers start. A barrier, or a path that is
/// not open yet, holds those behind it. `IODescriptor` locks it.
struct IOGate {
    enum Phase {
        case unopened
        case opening
        case open
    }

    private(set) var phase: Phase
    /// Operations that have passed and not ended.
    private var active = 0
    /// Held operations and barriers, in order.
    private var held = WaitList<Held>()
    private var isBarrierRunning = false
    /// A thread is starting held entries.
    private var isReleasing = false

    init(_ phase: Phase) { self.phase = phase }

    /// Whether a new operation may start; otherwise, hold it.
    mutating func pass() -> Bool {
        let isOpen = phase == .open && held.isEmpty && !isBarrierRunning && !isReleasing
        if isOpen { active += 1 }
        return isOpen
    }

    /// True if the caller must open the path.
    mutating func hold(_ new: Held) -> Bool {
        held.append(new)
        guard phase == .unopened else { return false }
        phase = .opening
        return true
    }

    mutating func open() { phase = .open }

    /// The next held entry that may start. Until `noteStarted`, no other may, which keeps the
    /// order.
    mutating func next() -> Held? {
        guard phase == .open, !isBarrierRunning, !isReleasing, let first = held.first
        else { return nil }
        switch first {
        case .operation:
            active += 1
        case .barrier:
            guard active == 0 else { return nil }
            isBarrierRunning = true
        }
        _ = held.popFirst()
        isReleasing = true
        return first
    }

    mutating func noteStarted() { isReleasing = false }

    /// True if held entries may start now.
    mutating func operationEnded() -> Bool {
        active -= 1
        return active == 0 && !held.isEmpty
    }

    mutating func barrierEnded() { isBarrierRunning = false }

    /// The aborted operations, which count as passed.
    mutating func removeAborted() -> [IOOperation] {
        let aborted = held.removeAll { $0.operation?.isAborted == true }.compactMap(\.operation)
        active += aborted.count
        return aborted
    }
}

/// An operation or barrier that waits at a descriptor's gate.
enum Held: Sendable {
    case operation(IOOperation)
    case barrier(IOBarrier)

    fileprivate var operation: IOOperation? {
        if case .operation(let operation) = self { operation } else { nil }
    }
}
