internal import LinuxPlatform
internal import RingDispatch

/// The inotify instance that all watchers of the process share: made for the first subscriber and
/// closed after the last. It drains the kernel's queue as fast as it can and hands each subscriber
/// its batch of events, to be processed on the subscriber's own queue.
///
/// The lock guards the table of watches. It is held during the call that adds a watch, so that no
/// event is read before the table knows its watch.
final class SharedInotifyReader: Sendable {
    typealias Subscriber = @Sendable (InotifyBatch) -> Void

    static let shared = SharedInotifyReader()

    private let queue = DispatchQueue(label: "file-watching.inotify")
    private let makeInotify: @Sendable () throws(SystemError) -> any Inotify
    private let state = Locked(State())

    /// One inotify instance and its reader.
    fileprivate final class Instance: @unchecked Sendable {
        // Safety: `events` is used on the reader's queue; `source` is set before it is activated.
        let inotify: any Inotify
        /// Room for about two thousand events of files with common names.
        let events = InotifyEventBuffer(capacity: 65_536)
        var source: (any DispatchSourceRead)?

        init(_ inotify: any Inotify) { self.inotify = inotify }
    }

    fileprivate struct State: @unchecked Sendable {
        // Safety: used inside the lock.
        var instance: Instance?
        var subscribers: [UInt32: Subscriber] = [:]
        var lastSubscriber: UInt32 = 0
        /// By the watch's number; the first of each folder, which has seldom more.
        var subscriptions: [Int32: InotifySubscription] = [:]
        var others: [Int32: [InotifySubscription]] = [:]
        var isPaused = false
    }

    init(
        makeInotify: @escaping @Sendable () throws(SystemError) -> any Inotify = {
            () throws(SystemError) in try InotifyDescriptor(readsWait: false)
        }
    ) {
        self.makeInotify = makeInotify
    }

    // MARK: subscribers

    /// Adds a subscriber; with its number it may add watches.
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

    /// Removes a subscriber, which has ended its watches.
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

    /// Watches an open folder, in addition to what it is watched for already.
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

    /// How often the queue is read before others get their turn.
    private static let readsAtATime = 16

    /// On the queue.
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

    /// Tells a subscriber, after the events that it has not received yet, that there are no older
    /// ones.
    func announceEmptiness(to number: UInt32) {
        queue.async { [self] in
            let (instance, subscriber) = state.withLock { ($0.instance, $0.subscribers[number]) }
            guard let instance, let subscriber, !isPaused else { return }
            let now = MonotonicClock.nanoseconds()
            // Otherwise the next reading says so.
            guard Descriptors.bytesReadable(instance.inotify.descriptor) == 0 else { return }
            subscriber(InotifyBatch(emptiedAtNanoseconds: now))
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

extension SharedInotifyReader.State {
    fileprivate mutating func add(_ subscription: InotifySubscription, to number: Int32) {
        guard let first = subscriptions[number] else {
            subscriptions[number] = subscription
            return
        }
        guard first != subscription, others[number]?.contains(subscription) != true else { return }
        others[number, default: []].append(subscription)
    }

    /// True when it was the last.
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
        // A subscriber may have left: its watches go a moment earlier.
        return batches.compactMap { number, batch in subscribers[number].map { ($0, batch) } }
    }
}
