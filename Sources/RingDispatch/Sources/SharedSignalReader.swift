internal import LinuxPlatform

/// Receives signals, and adds their counts to the signal sources.
///
/// A delivery arrives in one of two ways, never in both, because the kernel dequeues a signal once:
/// through a signal handler, in any thread of the program that does not block the signal; or
/// through a signalfd, if all threads block it. The signalfd leaves out signals for which the
/// program has a handler of its own.
final class SharedSignalReader: Sendable {
    static let shared = SharedSignalReader()

    private let queue = DispatchQueue(label: "ringdispatch.signals")
    private let descriptors = SignalDescriptors.shared
    private let state: Locked<State>

    private struct State: @unchecked Sendable {
        // Safety: used inside the lock.
        /// The sources of each signal that has any.
        var sources: [Int32: [SignalSource]] = [:]
        var handlers: SignalHandlers
        /// Read sources for the two descriptors, while any signal source exists.
        var watches: [any DispatchSourceRead] = []
    }

    private init() {
        state = Locked(State(handlers: SignalHandlers(wake: descriptors.wake)))
    }

    func add(_ source: SignalSource) {
        let (woken, watches) = state.withLock { state in
            // Earlier deliveries count only for the sources that existed then.
            let woken = takeCounts(of: [source.number], &state)
            state.sources[source.number, default: []].append(source)
            state.handlers.take(source.number)
            watchBlocked(&state)
            guard state.watches.isEmpty else { return (woken, [] as [any DispatchSourceRead]) }
            state.watches = makeWatches()
            return (woken, state.watches)
        }
        for watch in watches { watch.activate() }
        wakeAll(woken)
    }

    func remove(_ source: SignalSource) {
        let (woken, watches) = state.withLock { state in
            let woken = takeCounts(of: [source.number], &state)
            state.sources[source.number]?.removeAll { $0 === source }
            if state.sources[source.number]?.isEmpty == true {
                state.sources[source.number] = nil
                // Before the handler is removed: a signal in between takes its earlier course.
                watchBlocked(&state)
                state.handlers.giveBack(source.number)
            }
            guard state.sources.isEmpty else { return (woken, [] as [any DispatchSourceRead]) }
            return (woken, exchange(&state.watches, with: []))
        }
        for watch in watches { watch.cancel() }
        wakeAll(woken)
    }

    /// The read sources are inactive. Activate and cancel them outside the lock.
    private func makeWatches() -> [any DispatchSourceRead] {
        let handled = DispatchSource.makeReadSource(
            fileDescriptor: descriptors.wake.number, queue: queue)
        handled.setEventHandler { [self] in collectHandled() }
        let waiting = DispatchSource.makeReadSource(
            fileDescriptor: descriptors.blocked.number, queue: queue)
        waiting.setEventHandler { [self] in collectBlocked() }
        return [handled, waiting]
    }

    /// Signal handlers have counted deliveries.
    private func collectHandled() {
        let woken = state.withLock { state in
            // Clear before taking the counts: a handler that counts later writes again.
            descriptors.wake.clear()
            return takeCounts(of: Array(state.sources.keys), &state)
        }
        wakeAll(woken)
    }

    /// The signalfd has signals, which all threads block.
    private func collectBlocked() {
        let woken = state.withLock { state in
            // The program may have installed handlers since the last call.
            watchBlocked(&state)
            var woken: [SignalSource] = []
            descriptors.blocked.read { number in woken += deliver(1, of: number, &state) }
            return woken
        }
        wakeAll(woken)
    }

    private func watchBlocked(_ state: inout State) {
        let handlers = state.handlers
        descriptors.blocked.set(state.sources.keys.filter { handlers.isOurs($0) })
    }

    private func takeCounts(of numbers: [Int32], _ state: inout State) -> [SignalSource] {
        numbers.flatMap { deliver(state.handlers.takeCount($0), of: $0, &state) }
    }

    /// Adds to the sources of a signal. Returns the sources to wake.
    private func deliver(_ count: UInt, of number: Int32, _ state: inout State) -> [SignalSource] {
        guard count > 0 else { return [] }
        return (state.sources[number] ?? []).filter { $0.add(count) }
    }

    /// Called outside the lock.
    private func wakeAll(_ sources: [SignalSource]) {
        let context = Context.current
        for source in sources { source.wake(context) }
    }
}
