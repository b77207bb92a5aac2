internal import Ring
internal import RingDispatch

/// The inotify instance that all watchers of the process share, made for the first and closed after
/// the last. It reads the kernel's queue as fast as it can and hands the events on; what they mean
/// is found out on the engines' queues.
///
/// The lock guards the table of watches, and is held over the call that adds one: an event of a
/// watch is never read before the table knows the watch.
final class FileWatchHub: Sendable {
    static let shared = FileWatchHub()

    private let queue = DispatchQueue(label: "file-watching.inotify")
    private let makeWatcher: @Sendable () throws(KernelError) -> any FileWatcher
    private let state = Locked(State())

    /// One inotify instance and its reader.
    fileprivate final class Instance: @unchecked Sendable {
        // Safety: `events` is used on the hub's queue; `source` is set before it is activated.
        let watcher: any FileWatcher
        /// Room for about two thousand events of files with common names.
        let events = FileEvents(capacity: 65_536)
        var source: (any DispatchSourceRead)?

        init(_ watcher: any FileWatcher) { self.watcher = watcher }
    }

    fileprivate struct State: @unchecked Sendable {
        // Safety: used inside the lock.
        var instance: Instance?
        var engines: [UInt32: WatchEngine] = [:]
        var lastEngine: UInt32 = 0
        /// By the watch's number; the first of each folder, which has seldom more.
        var subscriptions: [Int32: Subscription] = [:]
        var others: [Int32: [Subscription]] = [:]
        var isPaused = false
    }

    init(
        makeWatcher: @escaping @Sendable () throws(KernelError) -> any FileWatcher = {
            () throws(KernelError) in try Inotify(readsWait: false)
        }
    ) {
        self.makeWatcher = makeWatcher
    }

    // MARK: engines

    /// Makes an engine's number; from now on it may add watches.
    func join(_ engine: WatchEngine) throws(KernelError) -> UInt32 {
        let result = state.withLock { state -> Result<UInt32, KernelError> in
            if state.instance == nil {
                do throws(KernelError) {
                    let instance = Instance(try makeWatcher())
                    state.instance = instance
                    listen(instance)
                } catch {
                    return .failure(error)
                }
            }
            state.lastEngine += 1
            state.engines[state.lastEngine] = engine
            return .success(state.lastEngine)
        }
        return try result.get()
    }

    /// After the engine has ended its watches.
    func leave(_ number: UInt32) {
        let unused = state.withLock { state -> Instance? in
            state.engines[number] = nil
            guard state.engines.isEmpty else { return nil }
            defer { state.instance = nil }
            return state.instance
        }
        guard let unused else { return }
        if isPaused { unused.source?.resume() }
        unused.source?.cancel()
    }

    private func listen(_ instance: Instance) {
        let source = DispatchSource.makeReadSource(
            fileDescriptor: instance.watcher.descriptor, queue: queue)
        source.setEventHandler { [self] in takeEvents(instance) }
        source.setCancelHandler { instance.watcher.close() }
        instance.source = source
        source.activate()
    }

    // MARK: watches

    /// Watches an open folder, for what it is watched for already, too.
    func watch(
        _ descriptor: Int32, _ changes: FileChanges = .ofFolder, for subscription: Subscription
    ) throws(KernelError) -> Int32 {
        let result = state.withLock { state -> Result<Int32, KernelError> in
            guard let instance = state.instance else {
                return .failure(KernelError(call: "watch", code: ErrorCode.cancelled))
            }
            do throws(KernelError) {
                let number = try instance.watcher.watch(
                    .object(descriptor: descriptor), for: changes, isAdding: true)
                state.add(subscription, to: number)
                return .success(number)
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    func unwatch(_ number: Int32, for subscription: Subscription) {
        state.withLock { state in
            guard state.remove(subscription, from: number) else { return }
            state.instance?.watcher.unwatch(number)
        }
    }

    /// How many folders the kernel watches for the process.
    var watchCount: Int { state.withLock { $0.subscriptions.count } }

    // MARK: events

    /// How often the queue is read before others get their turn.
    private static let readsAtATime = 16

    /// On the queue.
    private func takeEvents(_ instance: Instance) {
        for _ in 0..<FileWatchHub.readsAtATime {
            let start = MonotonicClock.nanoseconds()
            guard instance.events.read(from: instance.watcher.descriptor) else { return }
            let tookAll = instance.events.tookAll
            let batches = state.withLock { state in
                state.route(instance.events, emptiedAt: tookAll ? start : nil)
            }
            for (_, engine, batch) in batches { engine.take(batch) }
            if tookAll { return }
        }
    }

    /// Tells an engine, after the events that it has not got yet, that there are no older ones.
    func announceEmptiness(to engine: WatchEngine) {
        queue.async { [self] in
            guard let instance = state.withLock({ $0.instance }), !isPaused else { return }
            let now = MonotonicClock.nanoseconds()
            // Otherwise the next reading says so.
            guard Descriptors.bytesReadable(instance.watcher.descriptor) == 0 else { return }
            var batch = EventBatch()
            batch.emptiedAtNanoseconds = now
            engine.take(batch)
        }
    }

    private var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Stops reading, so that the kernel's queue fills: for tests of its overflow.
    func pause() {
        let source = state.withLock { state in
            state.isPaused = true
            return state.instance?.source
        }
        source?.suspend()
        queue.sync {}
    }

    func resume() {
        let source = state.withLock { state in
            state.isPaused = false
            return state.instance?.source
        }
        source?.resume()
    }
}

extension FileWatchHub.State {
    fileprivate mutating func add(_ subscription: Subscription, to number: Int32) {
        guard let first = subscriptions[number] else {
            subscriptions[number] = subscription
            return
        }
        guard first != subscription, others[number]?.contains(subscription) != true else { return }
        others[number, default: []].append(subscription)
    }

    /// True when it was the last.
    fileprivate mutating func remove(_ subscription: Subscription, from number: Int32) -> Bool {
        if subscriptions[number] == subscription {
            guard var rest = others[number] else {
                subscriptions[number] = nil
                return true
            }
            subscriptions[number] = rest.removeFirst()
            others[number] = rest.isEmpty ? nil : rest
        } else if var rest = others[number] {
            rest.removeAll { $0 == subscription }
            others[number] = rest.isEmpty ? nil : rest
        }
        return false
    }

    fileprivate mutating func route(
        _ events: FileEvents, emptiedAt: UInt64?
    ) -> [EventBatches.Entry] {
        var batches = EventBatches()
        var hasOverflowed = false
        events.forEachNamed { event, name in
            if event.changes.contains(.overflowed) { hasOverflowed = true }
            guard let first = subscriptions[event.watch] else { return }
            add(event, name, for: first, to: &batches)
            if !others.isEmpty, let rest = others[event.watch] {
                for other in rest { add(event, name, for: other, to: &batches) }
            }
            if event.changes.contains(.ended) {
                subscriptions[event.watch] = nil
                others[event.watch] = nil
            }
        }
        if hasOverflowed || emptiedAt != nil {
            for number in engines.keys {
                guard let index = batches.index(of: number, in: engines) else { continue }
                batches.all[index].batch.hasOverflowed = hasOverflowed
                batches.all[index].batch.emptiedAtNanoseconds = emptiedAt
            }
        }
        return batches.all
    }

    private func add(
        _ event: FileEvent, _ name: UnsafeRawBufferPointer, for subscription: Subscription,
        to batches: inout EventBatches
    ) {
        // It may have left: its watches go a moment earlier.
        guard let index = batches.index(of: subscription.engine, in: engines) else { return }
        batches.all[index].batch.add(event, for: subscription.target, name)
    }
}
