internal import LinuxPlatform
internal import RingDispatch

/// The folders that all watchers of the process watch, with one inotify instance, which is created
/// for the first subscriber and closed after the last. Passes each subscriber its batches of
/// events, to be handled on the subscriber's own queue.
///
/// The lock guards the table of watches. It is held during inotify_add_watch(2), so that no event
/// is read before the table contains its watch: a folder on a server that does not answer holds up
/// all watchers.
final class SharedWatches: Sendable {
    typealias Subscriber = @Sendable (InotifyBatch) -> Void

    static let shared = SharedWatches()

    private let queue = DispatchQueue(label: "file-watching.inotify")
    private let makeInotify: @Sendable () throws(SystemError) -> any Inotify
    private let state = Locked(State())

    fileprivate struct State: Sendable {
        var reader: InotifyReader?
        /// By number; nil: the number is free.
        var subscribers: [Member?] = []
        /// By watch number.
        var subscriptions: [Int32: [InotifySubscription]] = [:]
    }

    fileprivate struct Member: Sendable {
        let subscriber: Subscriber
        /// What the events that are being read contain for it.
        var batch = InotifyBatch()
        /// The next read that empties the kernel's queue is reported to it.
        var awaitsEmptiness = false
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
                if state.reader == nil { state.reader = try makeReader() }
                if let free = state.subscribers.firstIndex(where: { $0 == nil }) {
                    state.subscribers[free] = Member(subscriber: subscriber)
                    return UInt32(free)
                }
                state.subscribers.append(Member(subscriber: subscriber))
                return UInt32(state.subscribers.count - 1)
            }
        }.get()
    }

    private func makeReader() throws(SystemError) -> InotifyReader {
        let reader = InotifyReader(try makeInotify(), queue: queue) { [self] reader, emptiedAt in
            let batches = state.withLock { state in
                state.reader === reader ? state.route(reader.buffer, emptiedAt: emptiedAt) : []
            }
            for (subscriber, batch) in batches { subscriber(batch) }
        }
        let code = reader.begin()
        if code == 0 { return reader }
        reader.inotify.close()
        throw SystemError(call: "epoll_ctl", code: code)
    }

    /// Removes a subscriber, which has removed its watches before, if it had joined.
    func leave(_ number: UInt32) {
        let unused = state.withLock { state -> InotifyReader? in
            guard state.subscribers.indices.contains(Int(number)) else { return nil }
            state.subscribers[Int(number)] = nil
            return state.subscribers.allSatisfy { $0 == nil } ? state.reader.take() : nil
        }
        if let unused { queue.async { unused.close() } }
    }

    // MARK: watches

    /// Adds `mask` to a folder's watch, and returns the watch number.
    func watch(
        _ folder: FilePlace, _ mask: InotifyMask = .ofFolder, for subscription: InotifySubscription
    ) throws(SystemError) -> Int32 {
        try state.withLock { state in
            Result { () throws(SystemError) -> Int32 in
                guard let reader = state.reader else {
                    throw SystemError(call: "watch", code: ErrorCode.cancelled)
                }
                let number = try reader.inotify.watch(folder, for: mask, isAdding: true)
                state.add(subscription, to: number)
                return number
            }
        }.get()
    }

    func unwatch(_ number: Int32, for subscription: InotifySubscription) {
        state.withLock { state in
            guard state.remove(subscription, from: number) else { return }
            state.reader?.inotify.unwatch(number)
        }
    }

    /// How many folders the kernel watches for the process.
    var watchCount: Int { state.withLock { $0.subscriptions.count } }

    // MARK: events

    /// Sends a subscriber an empty batch if the kernel's queue is empty: all events before its time
    /// are delivered.
    func announceEmptiness(to number: UInt32) {
        queue.async { [self] in
            let (reader, member) = state.withLock { ($0.reader, $0.subscribers[Int(number)]) }
            guard let reader, let member else { return }
            let now = MonotonicClock.nanoseconds()
            if !reader.isPaused, Descriptors.bytesReadable(reader.inotify.descriptor) == 0 {
                member.subscriber(InotifyBatch(emptiedAtNanoseconds: now))
            } else {
                state.withLock { $0.subscribers[Int(number)]?.awaitsEmptiness = true }
            }
        }
    }

    /// See `InotifyReader.pause`.
    func pause() { state.withLock { $0.reader }?.pause() }

    func resume() { state.withLock { $0.reader }?.resume() }
}

extension SharedWatches.State {
    fileprivate mutating func add(_ subscription: InotifySubscription, to number: Int32) {
        guard subscriptions[number]?.contains(subscription) != true else { return }
        subscriptions[number, default: []].append(subscription)
    }

    /// True if the watch has no subscription left.
    fileprivate mutating func remove(
        _ subscription: InotifySubscription, from number: Int32
    ) -> Bool {
        subscriptions[number]?.removeAll { $0 == subscription }
        guard subscriptions[number]?.isEmpty == true else { return false }
        subscriptions[number] = nil
        return true
    }

    fileprivate mutating func route(
        _ events: InotifyEventBuffer, emptiedAt: UInt64?
    ) -> [(SharedWatches.Subscriber, InotifyBatch)] {
        var hasOverflowed = false
        events.forEach { event, padded in
            if event.mask.contains(.overflowed) { hasOverflowed = true }
            let name = padded.prefix { $0 != 0 }
            for one in subscriptions[event.watch] ?? [] {
                subscribers[Int(one.subscriber)]?.batch.add(event, for: one.target, name)
            }
            if event.mask.contains(.ended) { subscriptions[event.watch] = nil }
        }
        var batches: [(SharedWatches.Subscriber, InotifyBatch)] = []
        for index in subscribers.indices {
            guard var member = subscribers[index] else { continue }
            member.batch.hasOverflowed = hasOverflowed
            guard !member.batch.isEmpty || member.awaitsEmptiness else { continue }
            member.batch.emptiedAtNanoseconds = emptiedAt
            if !member.batch.isEmpty { batches.append((member.subscriber, member.batch)) }
            subscribers[index]?.batch = InotifyBatch()
            subscribers[index]?.awaitsEmptiness = emptiedAt == nil
        }
        return batches
    }
}
