import RingDispatch

/// One part of the keys, and the isolation queue that protects it: whoever touches the keys does so
/// inside `queue.sync`, on the thread where the command came in.
final class Shard: @unchecked Sendable {
    // Safety: all variables are touched on `queue` only, except in `deinit`.
    let queue: DispatchQueue
    @exclusivity(unchecked) var table = EntryTable()
    @exclusivity(unchecked) var deadlines = DeadlineHeap()
    @exclusivity(unchecked) var account: MemoryAccount
    @exclusivity(unchecked) var counts = ShardCounts()
    /// Fires at the earliest deadline. Made when a key gets one for the first time.
    @exclusivity(unchecked) var timer: (any DispatchSourceTimer)?
    /// When the timer fires next; .max: never.
    @exclusivity(unchecked) var armedDeadline = Int64.max
    /// The part of `account` that the table's arrays take.
    @exclusivity(unchecked) private var chargedTableBytes = 0
    let clock: @Sendable () -> Int64
    let expiresByTimer: Bool

    init(number: Int, configuration: StoreConfiguration, budget: MemoryBudget) {
        queue = DispatchQueue(label: "key-value-store.shard.\(number)")
        account = MemoryAccount(budget)
        clock = configuration.clock
        expiresByTimer = configuration.expiresByTimer
        chargeTable()
    }

    deinit {
        timer?.cancel()
        table.forEach { $0.deallocate() }
    }

    // MARK: finding

    /// The slot of a key that has not expired; valid until the shard changes.
    @inline(__always)
    func find(_ hash: UInt64, _ key: UnsafeRawBufferPointer)
        -> UnsafeMutablePointer<EntryTable.Slot>?
    {
        guard let slot = table.find(hash, key) else { return nil }
        if slot.pointee.entry!.hasDeadline, isExpired(slot.pointee.entry!) {
            remove(slot)
            counts.expired += 1
            return nil
        }
        return slot
    }

    /// The value of a key; valid until the shard changes.
    @inline(__always)
    func value(_ hash: UInt64, _ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let entry = find(hash, key)?.pointee.entry else {
            counts.misses += 1
            return nil
        }
        counts.hits += 1
        return entry.value
    }

    // MARK: changing

    /// Makes sure that an entry of that size can be written; false: the store is full.
    @inline(__always)
    func reserve(keyCount: Int, valueCount: Int) -> Bool {
        account.reserve(
            Entry.memoryBytes(keyCount: keyCount, valueCount: valueCount) + table.growthBytes)
    }

    /// Adds a key that is not there. Room was reserved.
    @discardableResult
    func insert(
        _ hash: UInt64, _ key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer
    ) -> Entry {
        let entry = Entry(key: key, valueCount: value.count)
        entry.setValue(value)
        table.insert(entry, hash: hash)
        account.charge(entry.memoryBytes)
        chargeTable()
        return entry
    }

    /// Gives a key another value, in its old memory if that suits. Otherwise room was reserved.
    @discardableResult
    @inline(__always)
    func replaceValue(
        in slot: UnsafeMutablePointer<EntryTable.Slot>, by value: UnsafeRawBufferPointer
    ) -> Entry {
        let entry = slot.pointee.entry!
        if entry.isSuitable(forValueCount: value.count) {
            entry.setValue(value)
            return entry
        }
        return move(slot, valueCapacity: value.count, value: value)
    }

    /// Gives a key a block of memory with room for a value of `valueCapacity` bytes.
    @inline(never)
    private func move(
        _ slot: UnsafeMutablePointer<EntryTable.Slot>, valueCapacity: Int,
        value: UnsafeRawBufferPointer
    ) -> Entry {
        let entry = slot.pointee.entry!
        let other = Entry(key: entry.key, valueCount: valueCapacity)
        other.setValue(value)
        if entry.hasDeadline { deadlines.replace(entry, by: other) }
        slot.pointee.entry = other
        account.charge(other.memoryBytes - entry.memoryBytes)
        entry.deallocate()
        return other
    }

    /// Appends to a value; false: the store is full.
    func append(
        _ bytes: UnsafeRawBufferPointer, to slot: UnsafeMutablePointer<EntryTable.Slot>
    ) -> Bool {
        let entry = slot.pointee.entry!
        let (oldCount, newCount) = (entry.valueCount, entry.valueCount + bytes.count)
        var target = entry
        if newCount > entry.valueCapacity {
            // Room for as much again, so that many short pieces do not copy the value each time.
            var capacity = min(2 * newCount, StoreConfiguration.bulkBytesLimit)
            if !reserve(keyCount: entry.keyCount, valueCount: capacity) {
                capacity = newCount
                guard reserve(keyCount: entry.keyCount, valueCount: capacity) else { return false }
            }
            target = move(slot, valueCapacity: capacity, value: entry.value)
        }
        if let source = bytes.baseAddress {
            (target.valueStart + oldCount).copyMemory(from: source, byteCount: bytes.count)
        }
        target.setValueCount(newCount)
        return true
    }

    func remove(_ slot: UnsafeMutablePointer<EntryTable.Slot>) {
        let entry = slot.pointee.entry!
        _ = clearDeadline(entry)
        account.charge(-entry.memoryBytes)
        table.remove(slot)
        entry.deallocate()
        chargeTable()
    }

    /// Takes all entries out. They are freed with the result, off the queue.
    func removeAll() -> RemovedEntries {
        let removed = RemovedEntries()
        swap(&removed.table, &table)
        deadlines.removeAll()
        account.charge(chargedTableBytes - account.usedBytes)
        chargeTable()
        return removed
    }

    /// Counts what the table's arrays take. An MSET reserves room for entries only: its tables grow
    /// beyond the limit if they must.
    @inline(__always)
    private func chargeTable() {
        let size = table.memoryBytes
        if size != chargedTableBytes {
            account.charge(size - chargedTableBytes)
            chargedTableBytes = size
        }
    }
}

/// Entries that are in no table any more.
final class RemovedEntries {
    @exclusivity(unchecked) fileprivate(set) var table = EntryTable()

    deinit { table.forEach { $0.deallocate() } }
}

/// What happened to a shard's keys. Confined to the shard's queue.
struct ShardCounts {
    var hits = 0
    var misses = 0
    var expired = 0
}
