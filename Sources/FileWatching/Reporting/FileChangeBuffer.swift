internal import RingDispatch
internal import Synchronization

/// The buffered changes of a ``FileChangeSequence``, and the tasks that wait for more.
final class FileChangeBuffer: Sendable {
    private struct State {
        var changes: [FileChange] = []
        /// The number of `changes` already consumed.
        var taken = 0
        var isFinished = false
        var waiting: [(number: UInt64, continuation: CheckedContinuation<FileChange?, Never>)] = []
        /// Numbers of waits that were cancelled before they started.
        var cancelled: Set<UInt64> = []

        var count: Int { changes.count - taken }

        mutating func take() -> FileChange? {
            guard taken < changes.count else { return nil }
            defer {
                taken += 1
                if taken == changes.count || taken > 1024 {
                    changes.removeFirst(taken)
                    taken = 0
                }
            }
            return changes[taken]
        }
    }

    private let bound: Int
    private let policy: FileChangeSequence.FullPolicy
    private let numbers = Atomic<UInt64>(0)  // Only has to be unique.
    /// Guards the changes and the waiting tasks.
    private let state = Locked(State())

    init(bound: Int, policy: FileChangeSequence.FullPolicy) {
        self.bound = max(2, bound)
        self.policy = policy
    }

    func append(_ changes: [FileChange]) {
        let resumed = state.withLock { state -> [Resumption] in
            for change in changes where !state.isFinished { add(change, &state) }
            return serve(&state)
        }
        for one in resumed { one.continuation.resume(returning: one.change) }
    }

    private func add(_ change: FileChange, _ state: inout State) {
        state.changes.append(change)
        guard state.count > bound else { return }
        switch policy {
        case .dropOldest:
            // An `overflow` replaces the dropped changes. Further drops extend it.
            var mark = state.changes[state.taken + 1]
            mark.action = .overflow
            mark.previousPath = nil
            state.taken += 1
            state.changes[state.taken] = mark
            if state.taken > 1024 {
                state.changes.removeFirst(state.taken)
                state.taken = 0
            }
        case .finish:
            state.changes[state.changes.count - 1].action = .overflow
            state.changes[state.changes.count - 1].previousPath = nil
            state.isFinished = true
        }
    }

    func finish() {
        let resumed = state.withLock { state -> [Resumption] in
            state.isFinished = true
            return serve(&state)
        }
        for one in resumed { one.continuation.resume(returning: one.change) }
    }

    private struct Resumption: Sendable {
        let continuation: CheckedContinuation<FileChange?, Never>
        let change: FileChange?
    }

    private func serve(_ state: inout State) -> [Resumption] {
        var resumed: [Resumption] = []
        while !state.waiting.isEmpty, state.count > 0 || state.isFinished {
            let continuation = state.waiting.removeFirst().continuation
            resumed.append(Resumption(continuation: continuation, change: state.take()))
        }
        return resumed
    }

    func next() async -> FileChange? {
        let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let resumed = state.withLock { state -> [Resumption] in
                    if state.cancelled.remove(number) != nil {
                        return [Resumption(continuation: continuation, change: nil)]
                    }
                    state.waiting.append((number, continuation))
                    return serve(&state)
                }
                for one in resumed { one.continuation.resume(returning: one.change) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: UInt64) {
        let continuation = state.withLock { state -> CheckedContinuation<FileChange?, Never>? in
            guard let index = state.waiting.firstIndex(where: { $0.number == number }) else {
                state.cancelled.insert(number)
                return nil
            }
            return state.waiting.remove(at: index).continuation
        }
        continuation?.resume(returning: nil)
    }
}
