internal import LinuxPlatform
internal import RingDispatch

/// The inotify instance shared by all watchers of the process, created for the first subscriber and
/// closed after the last. It drains the kernel's queue as fast as possible and passes each
/// subscriber its batch of events, to be handled on the subscriber's own queue.
///
/// The lock guards the table of watches. It is held during inotify_add_watch(2), so that no event
/// is read before the table contains its watch.
final class SharedInotifyReader: Sendable {
    typealias Subscriber = @Sendable (InotifyBatch) -> Void

    static let shared = SharedInotifyReader()

    private let queue = DispatchQueue(label: "file-watching.inotify")
    private let makeInotify: @Sendable () throws(SystemError) -> any Inotify
    private let state = Locked(State())

    /// One inotify instance and its reader.
    fileprivate final class Instance: @unchecked Sendable {
        // Safety: `events` is used on the reader's queue only; `source` is set before its
        // activation.
        let inotify: any Inotify
        /// Fits about two thousand events with typical file names.
        let events = InotifyEventBuffer(capacity: 65_536)
        var source: (any DispatchSourceRead)?

        init(_ inotify: any Inotify) { self.inotify = inotify }
    }

    fileprivate struct State: @unchecked Sendable {
        // Safety: used only under the lock.
        var instance: Instance?
        var subscribers: [UInt32: Subscriber] = [:]
        var lastSubscriber: UInt32 = 0
        /// By watch number: a folder's first subscription. `others` has the further ones, which are
        /// rare.
        var subscriptions: [Int32: InotifySubscription] = [:]
        var others: [Int32: [InotifySubscription]] = [:]
        var isPaused = false
    }

    init(
        makeInotify: @escaping @Sendable () throws(SystemError) -> any Inotify = {
            () throws(SystemError) in try InotifyDescriptor()
        }
    ) {
        self.makeInotify = makeInotify
    }

    // MARK: subscribers

    /// Adds a subscriber and returns its number, which `watch` needs.
    /// - Parameter subscriber: called on the reader's queue.
    func join(_ subscriber: @escaping Subscriber) throws(SystemError) -> UInt32 {
        try state.withLock { state in
            Result { () throws(SystemError) -> UInt32 in
                if state.instance == nil {
                    let instance = Instance(try makeInotify())
                    state.instance = instance
                    listen(instance)
                }
                state.lastSubscriber += 1
                state.subscribers[state.lastSubscriber] = subscriber
                return state.lastSubscriber
            }
        }.get()
    }

    /// Removes a subscriber, which has removed its watches before.
    func leave(_ number: UInt32) {
        let unused = state.withLock { state -> Instance? in
            state.subscribers[number] = nil
            guard state.subscribers.isEmpty else { return nil }
            defer { state.instance = nil }
            return state.instance
        }
        guard let unused else { return }
        if isPaused { unused.source?.resume() }
        unused.source?.cancel()
    }

    private func listen(_ instance: Instance) {
        let source = DispatchSource.makeReadSource(
            fileDescriptor: instance.inotify.descriptor, queue: queue)
        source.setEventHandler { [self] in takeEvents(instance) }
        source.setCancelHandler { instance.inotify.close() }
        instance.source = source
        source.activate()
    }

    // MARK: watches

    /// Adds `mask` to an open folder's watch, and returns the watch number.
    func watch(
        _ descriptor: Int32, _ mask: InotifyMask = .ofFolder, for subscription: InotifySubscription
    ) throws(SystemError) -> Int32 {
        try state.withLock { state in
            Result { () throws(SystemError) -> Int32 in
                guard let instance = state.instance else {
                    throw SystemError(call: "watch", code: ErrorCode.cancelled)
                }
                let number = try instance.inotify.watch(
                    .object(descriptor: descriptor), for: mask, isAdding: true)
                state.add(subscription, to: number)
                return number
            }
        }.get()
    }

    func unwatch(_ number: Int32, for subscription: InotifySubscription) {
        state.withLock { state in
            guard state.remove(subscription, from: number) else { return }
            state.instance?.inotify.unwatch(number)
        }
    }

    /// How many folders the kernel watches for the process.
    var watchCount: Int { state.withLock { $0.subscriptions.count } }

    // MARK: events

    /// Reads of the kernel's queue before the reader yields the thread.
    private static let readsAtATime = 16

    /// Called on the reader's queue.
    private func takeEvents(_ instance: Instance) {
        for _ in 0..<SharedInotifyReader.readsAtATime {
            let start = MonotonicClock.nanoseconds()
            guard instance.events.read(from: instance.inotify.descriptor) else { return }
            let tookAll = instance.events.tookAll
            let batches = state.withLock { state in
                state.route(instance.events, emptiedAt: tookAll ? start : nil)
            }
            for (subscriber, batch) in batches { subscriber(batch) }
            if tookAll { return }
        }
    }

    /// Sends a subscriber an empty batch if the kernel's queue is empty: all events before its time
    /// are delivered.
    func announceEmptiness(to number: UInt32) {
        queue.async { [self] in
            let (instance, subscriber) = state.withLock { ($0.instance, $0.subscribers[number]) }
            guard let instance, let subscriber, !isPaused else { return }
            let now = MonotonicClock.nanoseconds()
            // Otherwise the next read reports it.
            guard Descriptors.bytesReadable(instance.inotify.descriptor) == 0 else { return }
            subscriber(InotifyBatch(emptiedAtNanoseconds: now))
        }
    }

    private var isPaused: Bool { state.withLock { $0.isPaused } }

    /// Stops reading so that the kernel's queue fills, for tests of its overflow.
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

extension SharedInotifyReader.State {
    fileprivate mutating func add(_ subscription: InotifySubscription, to number: Int32) {
        guard let first = subscriptions[number] else {
            subscriptions[number] = subscription
            return
        }
        guard first != subscription, others[number]?.contains(subscription) != true else { return }
        others[number, default: []].append(subscription)
    }

    /// True if the watch has no subscription left.
    fileprivate mutating func remove(
        _ subscription: InotifySubscription, from number: Int32
    ) -> Bool {
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
        _ events: InotifyEventBuffer, emptiedAt: UInt64?
    ) -> [(SharedInotifyReader.Subscriber, InotifyBatch)] {
        var batches: [UInt32: InotifyBatch] = [:]
        var hasOverflowed = false
        events.forEachNamed { event, name in
            if event.mask.contains(.overflowed) { hasOverflowed = true }
            guard let first = subscriptions[event.watch] else { return }
            let rest = others.isEmpty ? [] : others[event.watch] ?? []
            batches[first.subscriber, default: InotifyBatch()].add(event, for: first.target, name)
            for one in rest {
                batches[one.subscriber, default: InotifyBatch()].add(event, for: one.target, name)
            }
            if event.mask.contains(.ended) {
                subscriptions[event.watch] = nil
                others[event.watch] = nil
            }
        }
        if hasOverflowed || emptiedAt != nil {
            for number in subscribers.keys {
                batches[number, default: InotifyBatch()].hasOverflowed = hasOverflowed
                batches[number, default: InotifyBatch()].emptiedAtNanoseconds = emptiedAt
            }
        }
        // A subscriber may have left with events still in the queue.
        return batches.compactMap { number, batch in subscribers[number].map { ($0, batch) } }
    }
}
