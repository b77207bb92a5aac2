import FileWatching
import RingDispatch
import SampleSupport
import SystemPackage

/// Passes changes from the watcher to the clients. Safe to use from any thread.
///
/// Each client has a position in the history and reads from there as its connection has room, so
/// nothing is queued for slow clients. A client that falls behind the history gets a rescan event.
final class ChangeFeed: Sendable {
    struct Figures: Sendable {
        var last: UInt64 = 0
        var first: UInt64 = 1
        var counts: [FileChange.Action: Int] = [:]
        var subscribers = 0
        var subscribed = 0
        /// Rescan events sent to clients that had missed changes.
        var clientRescans = 0
        var refusedCommands = 0
        var watchErrors = 0
    }

    private struct State {
        var history: History
        /// An array, which `publish` copies without an allocation.
        var subscribers: [Subscriber] = []
        var figures = Figures()
    }

    let roots: [FilePath]
    let rootBytes: [[UInt8]]
    /// Identifies this start of the server, and so its sequence numbers.
    let instance: String
    private let state: Locked<State>
    private let onChanges: @Sendable ([FileChange]) -> Void

    /// - Parameter onChanges: called with each batch after the clients were notified.
    init(
        roots: [FilePath], historyLimit: Int,
        onChanges: @escaping @Sendable ([FileChange]) -> Void
    ) {
        self.roots = roots
        rootBytes = roots.map(\.bytes)
        self.onChanges = onChanges
        instance = String(UInt64.random(in: .min ... .max), radix: 36)
        state = Locked(State(history: History(limit: historyLimit)))
    }

    /// Calls must not overlap: each batch takes the next sequence numbers.
    func publish(_ changes: [FileChange]) {
        guard !changes.isEmpty else { return }
        var sequence = state.withLock { $0.history.last }
        var events: [Event] = []
        events.reserveCapacity(changes.count)
        func add(_ change: FileChange) {
            sequence += 1
            events.append(Event(change, sequence: sequence))
        }
        for (index, change) in changes.enumerated() {
            add(change)
            guard change.action == .overflow else { continue }
            // Unless the watcher rescans, it has dropped changes for good.
            let isRescanned = changes.dropFirst(index + 1).first?.action == .rescan
            if !isRescanned { rescans(change.timeNanoseconds).forEach(add) }
        }
        let subscribers = state.withLock { state in
            for event in events {
                state.history.append(event)
                state.figures.counts[event.action, default: 0] += 1
            }
            return state.subscribers
        }
        for subscriber in subscribers { subscriber.poke() }
        onChanges(changes)
    }

    /// Adds a client and returns its initial position: the last event so far.
    func add(_ subscriber: Subscriber) -> UInt64 {
        state.withLock { state in
            state.subscribers.append(subscriber)
            state.figures.subscribed += 1
            return state.history.last
        }
    }

    func remove(_ subscriber: Subscriber) {
        state.withLock { $0.subscribers.removeAll { $0 === subscriber } }
    }

    var last: UInt64 { state.withLock { $0.history.last } }

    func events(after sequence: UInt64, atMost count: Int) -> History.Continuation {
        state.withLock { $0.history.events(after: sequence, atMost: count) }
    }

    /// For a client that has missed changes: a rescan event per root, and its new position.
    func rescan() -> (last: UInt64, events: [Event]) {
        let last = state.withLock { state in
            state.figures.clientRescans += 1
            return state.history.last
        }
        // GCD's encoding: negated nanoseconds since 1970.
        let now = -Int64(bitPattern: DispatchWallTime.now().rawValue)
        return (last, rescans(now).map { Event($0, sequence: last) })
    }

    private func rescans(_ timeNanoseconds: Int64) -> [FileChange] {
        roots.map { root in
            FileChange(
                sequence: 0, timeNanoseconds: timeNanoseconds, action: .rescan, path: root,
                kind: .directory)
        }
    }

    func noteRefusedCommand() { state.withLock { $0.figures.refusedCommands += 1 } }

    /// - Returns: the number of earlier errors.
    func noteWatchError() -> Int {
        state.withLock { state in
            defer { state.figures.watchErrors += 1 }
            return state.figures.watchErrors
        }
    }

    var figures: Figures {
        state.withLock { state in
            var figures = state.figures
            figures.last = state.history.last
            figures.first = state.history.first
            figures.subscribers = state.subscribers.count
            return figures
        }
    }
}
