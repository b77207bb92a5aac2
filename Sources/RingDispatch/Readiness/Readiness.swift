internal import LinuxPlatform
internal import Synchronization

/// The readiness of a loop's descriptors: an epoll set, and who waits for the events of each
/// descriptor.
///
/// - A **watch** (`EventReceiver`) is edge-triggered and stays. It is for connections and
///   listeners, which read until nothing is left.
/// - A **wait** (`DescriptorWait`) is one-shot for its owner, and reports what is still unread. It
///   is for sources. The descriptor stays in the set, level-triggered, between two waits: a server
///   in its steady state needs no epoll_ctl(2). An event that nobody waits for reduces the entry.
///
/// Any thread may add and remove both; afterwards no further event reaches the object, and its
/// descriptor may be closed. The loop's holder fetches and delivers events.
struct Readiness: ~Copyable {
    private let epoll: ReadinessSet
    /// Guards the records and the changes of the set. Indexed by descriptor.
    private let records = Locked<[DescriptorRecord]>([])
    /// The number of the last fetch. The holder's store (sequentially consistent) precedes the
    /// fetch; a wait loads it (the same) when it begins. If the wait has the number of the fetch
    /// that returned an event, the event may be older than the wait.
    private let fetch = Atomic<UInt64>(0)
    /// Number of waits and watches. Stored under the lock (sequentially consistent): the store of a
    /// store-then-check with the loop's state. For other threads a hint.
    private let total = Atomic<Int>(0)
    /// The program has closed the number of an entry before the entry was removed. The entry lives
    /// on if the file has a duplicate. Used under the lock (relaxed).
    private let hasLostEntries = Atomic<Bool>(false)
    /// When entries that the kernel has no room for are tried again, in nanoseconds; .max: there
    /// are none. Stored under the lock (relaxed).
    private let retryTime = Atomic<UInt64>(.max)
    private static let retryPeriod: UInt64 = 100_000_000
    private static let shortage = RepeatedLine()

    init() throws(SystemError) { epoll = try ReadinessSet() }

    /// Number of waits and watches.
    var count: Int { total.load(ordering: .sequentiallyConsistent) }

    /// Whether events can be fetched (poll(2)), or refused entries are to be tried again.
    var isReady: Bool { epoll.isReady || mustRetry }

    private var mustRetry: Bool {
        let time = retryTime.load(ordering: .relaxed)
        return time != .max && time <= MonotonicClock.nanoseconds()
    }

    private func noteCount(_ change: Int) {
        total.store(
            total.load(ordering: .relaxed) &+ change,
            ordering: .sequentiallyConsistent)
    }

    /// Ends the holder's wait.
    func ring() { epoll.ring() }

    // MARK: waits, from any thread

    /// Begins a wait. Returns 0 or an errno (EPERM: a regular file, which is always ready).
    /// - Parameter isFirst: whether the owner begins to wait for this descriptor. Then the entry is
    ///   set even if it is known, because the number may name another file by now.
    @inline(__always)
    func begin(_ wait: DescriptorWait, for descriptor: Int32, isFirst: Bool) -> Int32 {
        records.withLock { records -> Int32 in
            guard let index = Readiness.index(of: descriptor, in: &records) else {
                return ErrorCode.badDescriptor
            }
            var wait = wait
            wait.fetch = fetch.load(ordering: .sequentiallyConsistent)
            records[index].waits.append(wait)
            noteCount(1)
            if !isFirst && isKnown(wait.events, &records[index]) { return 0 }
            let code = register(descriptor, &records[index])
            if code != 0 {
                records[index].waits.removeLast()
                noteCount(-1)
            }
            return code
        }
    }

    /// Whether the entry may stay as it is.
    @inline(__always)
    private func isKnown(_ events: UInt32, _ record: inout DescriptorRecord) -> Bool {
        record.unseen &+= 1
        return record.registered & events == events && !record.isEdgeTriggered
            && record.unseen < Readiness.mostUnseen
    }

    /// After so many waits the entry is set again. If the program has closed the number, the
    /// kernel may report the entry for ever; the next wait then fails.
    private static let mostUnseen: UInt8 = 64

    /// Ends a wait early. Returns false if it has ended already, or was never begun.
    @discardableResult
    func cancelWait(by waiter: any DescriptorWaiter, for descriptor: Int32) -> Bool {
        records.withLock { records in
            guard records.indices.contains(Int(descriptor)),
                let position = records[Int(descriptor)].waits.firstIndex(where: {
                    $0.waiter === waiter
                })
            else { return false }
            // The caller has a reference, so this one is not the last.
            records[Int(descriptor)].waits.remove(at: position)
            noteCount(-1)
            return true
        }
    }

    /// Removes the descriptor's entry, or reduces it to what others wait for. The owner of ended
    /// waits calls it before it lets the descriptor be closed.
    func release(_ descriptor: Int32) {
        records.withLock { records in
            guard records.indices.contains(Int(descriptor)) else { return }
            reduce(descriptor, &records)
        }
    }

    // MARK: watches, from any thread

    /// Adds a watch. Returns 0 or an errno.
    func add(_ watch: EventReceiver) -> Int32 {
        records.withLock { records -> Int32 in
            guard let index = Readiness.index(of: watch.descriptor, in: &records) else {
                return ErrorCode.badDescriptor
            }
            records[index].watch = Unmanaged.passUnretained(watch)
            noteCount(1)
            let code = register(watch.descriptor, &records[index])
            if code != 0 {
                records[index].watch = nil
                noteCount(-1)
            }
            return code
        }
    }

    /// Makes a watch report more events, and again those that hold already. Returns 0 or an errno.
    func extend(_ watch: EventReceiver, by events: UInt32) -> Int32 {
        records.withLock { records in
            watch.events |= events
            return register(watch.descriptor, &records[Int(watch.descriptor)])
        }
    }

    /// Removes a watch.
    func remove(_ watch: EventReceiver) {
        records.withLock { records in
            records[Int(watch.descriptor)].watch = nil
            noteCount(-1)
            reduce(watch.descriptor, &records)
        }
    }

    // MARK: entries, under the lock

    /// The index of the descriptor's record; nil if there is none, and the number is not open.
    private static func index(
        of descriptor: Int32, in records: inout [DescriptorRecord]
    ) -> Int? {
        let index = Int(descriptor)
        if !records.indices.contains(index) {
            guard Descriptors.isOpen(descriptor) else { return nil }
            let room = max(index + 1, records.count * 2) - records.count
            records.append(contentsOf: repeatElement(DescriptorRecord(), count: room))
        }
        return index
    }

    /// Sets the entry to the events that are wanted, now or once the kernel has room for it.
    private func register(_ descriptor: Int32, _ record: inout DescriptorRecord) -> Int32 {
        let code = set(descriptor, &record)
        guard ErrorCode.isWatchShortage(code) else { return code }
        if retryTime.load(ordering: .relaxed) == .max {
            retryTime.store(
                MonotonicClock.nanoseconds() &+ Readiness.retryPeriod, ordering: .relaxed)
            // A sleeping holder learns of the time.
            epoll.ring()
        }
        return 0
    }

    /// Sets the entry to the events that are wanted. Returns 0 or an errno.
    private func set(_ descriptor: Int32, _ record: inout DescriptorRecord) -> Int32 {
        let wanted = record.wanted
        let token = record.token(of: descriptor)
        var code: Int32
        record.unseen = 0
        if record.registered == 0 {
            code = epoll.add(descriptor, for: wanted, token: token)
            // The program has closed the number without a word, and the file stayed open.
            if code == ErrorCode.exists {
                code = epoll.modify(descriptor, for: wanted, token: token)
            }
        } else {
            code = epoll.modify(descriptor, for: wanted, token: token)
            // The program has closed the number without a word: the entry belongs to another file.
            if code != 0 {
                record.generation &+= 1
                hasLostEntries.store(true, ordering: .relaxed)
            }
            // It has opened it again.
            if code == ErrorCode.noEntry {
                code = epoll.add(
                    descriptor, for: wanted, token: record.token(of: descriptor))
            }
        }
        record.registered = code == 0 ? wanted : 0
        return code
    }

    /// Reduces the entry to the events that are wanted.
    private func reduce(_ descriptor: Int32, _ records: inout [DescriptorRecord]) {
        let index = Int(descriptor)
        guard records[index].registered != 0 else { return }
        if records[index].wanted != 0 {
            _ = register(descriptor, &records[index])
            return
        }
        records[index].registered = 0
        records[index].generation &+= 1
        if epoll.remove(descriptor) != 0 { hasLostEntries.store(true, ordering: .relaxed) }
    }

    // MARK: events, for the loop's holder

    /// Fetches events; see `ReadinessSet.wait`. Deliver them before the next fetch.
    /// - Returns: their number.
    func wait(timeoutNanoseconds: UInt64?) -> Int {
        fetch.store(fetch.load(ordering: .relaxed) &+ 1, ordering: .sequentiallyConsistent)
        if retryTime.load(ordering: .relaxed) == .max {
            return epoll.wait(timeoutNanoseconds: timeoutNanoseconds)
        }
        let count = epoll.wait(
            timeoutNanoseconds: min(timeoutNanoseconds ?? .max, Readiness.retryPeriod))
        if mustRetry { setRefused() }
        return count
    }

    /// Sets the entries that the kernel had no room for.
    @inline(never)
    private func setRefused() {
        let now = MonotonicClock.nanoseconds()
        let code = records.withLock { records -> Int32 in
            for index in records.indices
            where records[index].registered == 0 && records[index].wanted != 0 {
                let code = set(Int32(index), &records[index])
                guard ErrorCode.isWatchShortage(code) else { continue }
                retryTime.store(now &+ Readiness.retryPeriod, ordering: .relaxed)
                return code
            }
            retryTime.store(.max, ordering: .relaxed)
            return 0
        }
        if code == 0 { return }
        let error = SystemError(
            call: "epoll_ctl", code: code, remedy: ErrorCode.watchShortageRemedy)
        Readiness.shortage.log("some descriptors are not watched for now: \(error)")
    }

    /// Identifies who sends an event, for `ArrivalPattern`.
    func sender(of index: Int) -> UInt64 { epoll[index].token }

    /// Delivers an event of the last fetch.
    @inline(__always)
    func deliver(_ index: Int, _ context: Context) {
        let event = epoll[index]
        guard event.token != ReadinessSet.bellToken else { return }
        var next = take(event, isFirst: true, context)
        while let (wait, hasMore) = next {
            next = hasMore ? take(event, isFirst: false, context) : nil
            wait.waiter.waitEnded(event.events & (wait.events | PollEvents.always), context)
        }
    }

    /// Takes out a wait for the event, and says whether there are others.
    /// - Parameter isFirst: whether it is the first call for this event. Then it notifies the
    ///   watch, too, and if nobody waits for the event, reduces the entry.
    @inline(__always)
    private func take(
        _ event: ReadinessEvent, isFirst: Bool, _ context: Context
    ) -> (DescriptorWait, hasMore: Bool)? {
        let descriptor = Int32(truncatingIfNeeded: event.token)
        return records.withLock { records -> (DescriptorWait, hasMore: Bool)? in
            let index = Int(descriptor)
            guard records[index].token(of: descriptor) == event.token else {
                if hasLostEntries.load(ordering: .relaxed) { renew(&records) }
                return nil
            }
            if isFirst, let watch = records[index].watch {
                watch._withUnsafeGuaranteedRef { $0.notify(event.events, context) }
            }
            for position in records[index].waits.indices
            where isFor(records[index].waits[position], event, descriptor) {
                noteCount(-1)
                let wait = records[index].waits.remove(at: position)
                return (wait, hasMore: !records[index].waits.isEmpty)
            }
            if isFirst && records[index].wanted & event.events == 0 && !records[index].isAtRest {
                reduce(descriptor, &records)
            }
            return nil
        }
    }

    @inline(__always)
    private func isFor(
        _ wait: DescriptorWait, _ event: ReadinessEvent, _ descriptor: Int32
    ) -> Bool {
        guard event.events & (wait.events | PollEvents.always) != 0 else { return false }
        if wait.fetch != fetch.load(ordering: .relaxed) { return true }
        // The event may be older than the wait, and what it reported read already.
        return Descriptors.poll(descriptor, events: wait.events) != 0
    }

    /// Fills a new set, without entries whose number names another file by now.
    private func renew(_ records: inout [DescriptorRecord]) {
        guard (try? epoll.empty()) != nil else { return }
        hasLostEntries.store(false, ordering: .relaxed)
        for index in records.indices where records[index].registered != 0 {
            records[index].registered = 0
            _ = register(Int32(index), &records[index])
        }
    }
}
