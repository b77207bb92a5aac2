internal import LinuxPlatform

/// Takes signals, and passes the counts on to their sources.
///
/// A signal comes in one of two ways, and in one only, because the kernel dequeues it once: through
/// a handler, in whichever thread of the program does not block it, or, when all threads block it,
/// through a signalfd. The latter leaves a signal alone that a handler of the program's waits for.
final class SharedSignalReader: Sendable {
    static let shared = SharedSignalReader()

    private let queue = DispatchQueue(label: "ringdispatch.signals")
    /// Handlers write to it. Never closed: one may be running at any time.
    private let wake: EventDescriptor
    private let blocked: SignalDescriptor
    private let state: Locked<State>

    private struct State: @unchecked Sendable {
        // Safety: used inside the lock.
        /// The sources of each signal that has any.
        var sources: [Int32: [SignalSource]] = [:]
        var handlers: SignalHandlers
        /// Read sources for the two descriptors, while there is any signal source.
        var watches: [any DispatchSourceRead] = []
    }

    private init() {
        do throws(SystemError) {
            wake = try EventDescriptor()
            blocked = try SignalDescriptor()
        } catch {
            fatalSystemError(error)
        }
        state = Locked(State(handlers: SignalHandlers(wake: wake)))
    }

    func add(_ source: SignalSource) {
        let (woken, watches) = state.withLock { state in
            // What was delivered before is for those that were there.
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
                // Before the handler: a signal that comes in between takes its old course.
                watchBlocked(&state)
                state.handlers.giveBack(source.number)
            }
            guard state.sources.isEmpty else { return (woken, [] as [any DispatchSourceRead]) }
            defer { state.watches = [] }
            return (woken, state.watches)
        }
        for watch in watches { watch.cancel() }
        wakeAll(woken)
    }

    /// Inactive yet: to be activated, and cancelled, outside of the lock.
    private func makeWatches() -> [any DispatchSourceRead] {
        let handled = DispatchSource.makeReadSource(fileDescriptor: wake.number, queue: queue)
        handled.setEventHandler { [self] in collectHandled() }
        let waiting = DispatchSource.makeReadSource(fileDescriptor: blocked.number, queue: queue)
        waiting.setEventHandler { [self] in collectBlocked() }
        return [handled, waiting]
    }

    /// Handlers have counted deliveries.
    private func collectHandled() {
        let woken = state.withLock { state in
            // Before the counts: a handler that counts after they were taken writes again.
            wake.clear()
            return takeCounts(of: Array(state.sources.keys), &state)
        }
        wakeAll(woken)
    }

    /// Signals wait that no thread takes.
    private func collectBlocked() {
        let woken = state.withLock { state in
            // The program may have installed handlers since the last look.
            watchBlocked(&state)
            var woken: [SignalSource] = []
            blocked.read { number in woken += deliver(1, of: number, &state) }
            return woken
        }
        wakeAll(woken)
    }

    private func watchBlocked(_ state: inout State) {
        let handlers = state.handlers
        blocked.set(state.sources.keys.filter { handlers.isOurs($0) })
    }

    private func takeCounts(of numbers: [Int32], _ state: inout State) -> [SignalSource] {
        numbers.flatMap { deliver(state.handlers.takeCount($0), of: $0, &state) }
    }

    /// Adds to the sources of a signal; those that have to be woken.
    private func deliver(_ count: UInt, of number: Int32, _ state: inout State) -> [SignalSource] {
        guard count > 0 else { return [] }
        return (state.sources[number] ?? []).filter { $0.add(count) }
    }

    /// Outside of the lock, although what a source does then would not come back here.
    private func wakeAll(_ sources: [SignalSource]) {
        let context = Context.current
        for source in sources { source.wake(context) }
    }
}
