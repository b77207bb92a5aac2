import FileWatching
import Synchronization
import SystemPackage

/// All changes, on their way from the watcher to the clients. Safe to use from any thread.
///
/// A client has a place in the history and takes from there what its connection has room for. So
/// nothing is queued for slow clients, and one that has fallen behind by more than the history is
/// told to look for itself.
final class ChangeFeed: Sendable {
    struct Figures: Sendable {
        var last: UInt64 = 0
        var first: UInt64 = 1
        var counts: [FileChange.Action: Int] = [:]
        var subscribers = 0
        var subscribed = 0
        /// Rescans that clients were asked to do.
        var clientRescans = 0
        var refusedCommands = 0
        var watchErrors = 0
    }

    private struct State {
        var history: History
        /// An array, which a publisher copies without allocating.
        var subscribers: [Subscriber] = []
        var figures = Figures()
    }

    let roots: [FilePath]
    let rootBytes: [[UInt8]]
    /// Tells this start of the server from others, whose sequences are not this one's.
    let instance: String
    private let state: Mutex<State>
    private let onChanges: @Sendable ([FileChange]) -> Void

    /// - Parameter onChanges: called with each batch after the clients were woken.
    init(
        roots: [FilePath], historyLimit: Int,
        onChanges: @escaping @Sendable ([FileChange]) -> Void
    ) {
        self.roots = roots
        rootBytes = roots.map(\.bytes)
        self.onChanges = onChanges
        instance = String(UInt64.random(in: .min ... .max), radix: 36)
        state = Mutex(State(history: History(limit: historyLimit)))
    }

    /// Batches come one after the other.
    func publish(_ changes: [FileChange]) {
        guard !changes.isEmpty else { return }
        var sequence = state.withLock { $0.history.last }
        let events = changes.map { change in
            sequence += 1
            return Event(change, sequence: sequence)
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

    /// A client's first place: behind all that has happened.
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

    var subscribers: [Subscriber] { state.withLock { $0.subscribers } }

    var last: UInt64 { state.withLock { $0.history.last } }

    func events(after sequence: UInt64, atMost count: Int) -> History.Continuation {
        state.withLock { $0.history.events(after: sequence, atMost: count) }
    }

    /// For a client that has missed something: to look at each root, from the last event on.
    func rescan() -> (last: UInt64, events: [Event]) {
        let last = state.withLock { state in
            state.figures.clientRescans += 1
            return state.history.last
        }
        let now = WallClock.nanoseconds
        let events = roots.map { root in
            Event(
                FileChange(
                    sequence: last, timeNanoseconds: now, action: .rescan, path: root,
                    kind: .directory),
                sequence: last)
        }
        return (last, events)
    }

    func noteRefusedCommand() { state.withLock { $0.figures.refusedCommands += 1 } }

    /// - Returns: how many there were before.
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
