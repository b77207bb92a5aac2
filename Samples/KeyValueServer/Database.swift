import RingDispatch

/// Keys, values and deadlines. All of it is used on `queue` only, which is also the queue of every
/// connection (`ListenerOptions.placement`), and the listener's target. So commands need no locks,
/// and each one is atomic.
final class Database: @unchecked Sendable {
    // Safety: see above.
    struct Entry {
        var value: Bytes
        /// The last millisecond of the key, or `never`.
        var deadline: Int
    }

    static let never = Int.max
    /// Keys are removed about this long after their deadline.
    private static let sliceMilliseconds = 100
    /// Keys that a sweep removes before other work has its turn.
    private static let keysPerSweep = 1000
    /// An estimate of what a key takes besides its bytes and those of its value.
    private static let bytesPerKey = 120

    let queue = DispatchQueue(label: "database")
    /// Above this many bytes the database is full; 0: never.
    let maxMemory: Int
    /// Milliseconds. It never goes back.
    var clock = { Int(DispatchTime.now().uptimeNanoseconds / 1_000_000) }
    private(set) var (usedMemory, expiredKeys, keysWithDeadline) = (0, 0, 0)
    var (commands, sessions, openSessions) = (0, 0, 0)
    private var entries: [Bytes: Entry] = [:]
    /// The keys that have a deadline, by the slice of time it is in.
    private var slices: [Int: Set<Bytes>] = [:]
    /// The first slice that is not over, or not swept.
    private var nextSlice = 0
    /// Keys of the last swept slice that are still to be removed.
    private var dueKeys = Set<Bytes>().makeIterator()
    private var isSweeping = false

    init(maxMemory: Int = 0) { self.maxMemory = maxMemory }

    var isFull: Bool { maxMemory > 0 && usedMemory > maxMemory }
    var count: Int { entries.count }

    func find(_ key: Bytes) -> Entry? {
        guard let entry = entries[key] else { return nil }
        if entry.deadline == Self.never || entry.deadline >= clock() { return entry }
        erase(key, entry)
        expiredKeys += 1
        return nil
    }

    func set(_ key: Bytes, _ value: Bytes, deadline: Int = never) {
        let old = entries.updateValue(Entry(value: value, deadline: deadline), forKey: key)
        usedMemory += value.count - (old?.value.count ?? -(key.count + Self.bytesPerKey))
        moveDeadline(of: key, from: old?.deadline ?? Self.never, to: deadline)
    }

    func append(_ suffix: Bytes, to key: Bytes) {
        if find(key) == nil { set(key, Bytes(array: [])) }
        entries[key]?.value.array += suffix.array
        usedMemory += suffix.count
    }

    func remove(_ key: Bytes) -> Bool {
        guard let entry = find(key) else { return false }
        erase(key, entry)
        return true
    }

    private func erase(_ key: Bytes, _ entry: Entry) {
        entries[key] = nil
        usedMemory -= key.count + entry.value.count + Self.bytesPerKey
        moveDeadline(of: key, from: entry.deadline, to: Self.never)
    }

    func removeAll() {
        // Freeing millions of keys takes a while: another queue does it.
        let removed = (entries, slices)
        DispatchQueue.global().async { withExtendedLifetime(removed) {} }
        (entries, slices, usedMemory, keysWithDeadline) = ([:], [:], 0, 0)
    }

    /// When `time` units of so many milliseconds have passed from now; nil: too far away.
    func deadline(after time: Int, _ unit: Int) -> Int? {
        let (milliseconds, isTooBig) = time.multipliedReportingOverflow(by: unit)
        let (sum, isOver) = milliseconds.addingReportingOverflow(clock())
        return isTooBig || isOver || sum == Self.never ? nil : sum
    }

    private func moveDeadline(of key: Bytes, from old: Int, to new: Int) {
        guard old != new else { return }
        if old != Self.never {
            keysWithDeadline -= 1
            let slice = old / Self.sliceMilliseconds
            slices[slice]?.remove(key)
            if slices[slice]?.isEmpty == true { slices[slice] = nil }
        }
        if new != Self.never {
            keysWithDeadline += 1
            let slice = new / Self.sliceMilliseconds
            slices[slice, default: []].insert(key)
            if !isSweeping { sweepLater(from: clock() / Self.sliceMilliseconds) }
            // The slice may be over already.
            nextSlice = min(nextSlice, slice)
            // Two go for each that is added: the sweep keeps pace with any load.
            _ = removeDue(2)
        }
    }

    private func sweepLater(from slice: Int) {
        (isSweeping, nextSlice) = (true, slice)
        let deadline = DispatchTime.now() + .milliseconds(Self.sliceMilliseconds)
        queue.asyncAfter(deadline: deadline) { [weak self] in self?.sweep() }
    }

    /// Removes due keys: some of them, then other work has its turn.
    func sweep() {
        guard removeDue(Self.keysPerSweep) else { return queue.async { self.sweep() } }
        isSweeping = false
        if !slices.isEmpty { sweepLater(from: nextSlice) }
    }

    /// Removes keys of slices that are over; false: `limit` was reached first.
    private func removeDue(_ limit: Int) -> Bool {
        for _ in 0..<limit {
            if let key = dueKeys.next() {
                _ = find(key)
            } else if nextSlice < clock() / Self.sliceMilliseconds {
                dueKeys = (slices.removeValue(forKey: nextSlice) ?? []).makeIterator()
                nextSlice += 1
            } else {
                return true
            }
        }
        return false
    }
}
