import Glibc

/// A hash table of entries: open addressing with linear probing, and the hashes beside the
/// pointers, so that a look-up reads one line of the table and the entry itself.
///
/// It grows and shrinks without a pause: the slots of the old array move over a few at a time, with
/// each change. Not thread-safe; its shard's queue protects it. The entries belong to the shard.
struct EntryTable: ~Copyable {
    struct Slot {
        var hash: UInt64
        /// nil: empty.
        var entry: Entry?
    }

    /// Slots; a power of two.
    private struct Array {
        var slots: UnsafeMutablePointer<Slot>
        var mask: Int

        var capacity: Int { mask + 1 }

        init(capacity: Int) {
            let size = capacity * MemoryLayout<Slot>.stride
            // Zeroed memory is a table of empty slots.
            guard let memory = calloc(capacity, MemoryLayout<Slot>.stride) else {
                outOfMemory(size)
            }
            slots = memory.bindMemory(to: Slot.self, capacity: capacity)
            mask = capacity - 1
        }
    }

    static let smallestCapacity = 16
    /// So many slots move to the new array with each change. A growing table is done after as many
    /// changes as its old array has eighths, long before the new one is full. A shrinking one has
    /// few entries, and must be done before all of them are gone.
    private static let (slotsPerMoveGrowing, slotsPerMoveShrinking) = (8, 32)

    private var current = Array(capacity: smallestCapacity)
    /// The array before `current`. Nothing is put into it; what left it is marked `moved`.
    private var old: Array?
    /// The first slot of `old` that was not looked at.
    private var movedCount = 0
    /// How many entries there are.
    private(set) var count = 0

    /// Stands in a slot of the old array whose entry has left it: a search must go on there.
    private static var moved: Entry { unsafeBitCast(UInt(1), to: Entry.self) }

    init() {}

    deinit {
        free(current.slots)
        free(old?.slots)
    }

    /// The memory of the arrays.
    var memoryBytes: Int {
        (current.capacity + (old?.capacity ?? 0)) * MemoryLayout<Slot>.stride
    }

    /// What the next insertion adds to that at most.
    @inline(__always)
    var growthBytes: Int {
        isFull ? 2 * current.capacity * MemoryLayout<Slot>.stride : 0
    }

    /// At most five eighths are taken: with linear probing, searches get long beyond that.
    @inline(__always)
    private var isFull: Bool { (count + 1) * 8 > current.capacity * 5 }

    // MARK: finding

    /// The slot with this key, valid until the table changes.
    @inline(__always)
    func find(_ hash: UInt64, _ key: UnsafeRawBufferPointer) -> UnsafeMutablePointer<Slot>? {
        if let slot = Self.find(hash, in: current, where: { $0.hasKey(key) }) { return slot }
        guard old != nil else { return nil }
        return findInOld(hash, key)
    }

    @inline(never)
    private func findInOld(
        _ hash: UInt64, _ key: UnsafeRawBufferPointer
    ) -> UnsafeMutablePointer<Slot>? {
        Self.find(hash, in: old!, where: { $0 != Self.moved && $0.hasKey(key) })
    }

    /// The slot of this very entry.
    func slot(of entry: Entry, hash: UInt64) -> UnsafeMutablePointer<Slot> {
        if let slot = Self.find(hash, in: current, where: { $0 == entry }) { return slot }
        guard let old, let slot = Self.find(hash, in: old, where: { $0 == entry }) else {
            preconditionFailure("an entry that is not in its table")
        }
        return slot
    }

    @inline(__always)
    private static func find(
        _ hash: UInt64, in array: Array, where isMatch: (Entry) -> Bool
    ) -> UnsafeMutablePointer<Slot>? {
        var index = Int(truncatingIfNeeded: hash) & array.mask
        while let entry = array.slots[index].entry {
            if array.slots[index].hash == hash, isMatch(entry) { return array.slots + index }
            index = (index + 1) & array.mask
        }
        return nil
    }

    // MARK: changing

    /// Adds an entry whose key is not in the table.
    mutating func insert(_ entry: Entry, hash: UInt64) {
        if old != nil { move() }
        if isFull { resize(to: 2 * current.capacity) }
        Self.put(Slot(hash: hash, entry: entry), into: current)
        count += 1
    }

    /// Takes an entry out. Slots that were found before are not valid any more.
    mutating func remove(_ slot: UnsafeMutablePointer<Slot>) {
        count -= 1
        if slot >= current.slots, slot < current.slots + current.capacity {
            closeGap(at: slot - current.slots)
        } else {
            slot.pointee.entry = Self.moved
        }
        if old != nil { move() }
        if old == nil, current.capacity > Self.smallestCapacity, count * 16 < current.capacity {
            resize(to: current.capacity / 2)
        }
    }

    private static func put(_ slot: Slot, into array: Array) {
        var index = Int(truncatingIfNeeded: slot.hash) & array.mask
        while array.slots[index].entry != nil { index = (index + 1) & array.mask }
        array.slots[index] = slot
    }

    /// Empties a slot, and moves those behind it that would not be found any more.
    private func closeGap(at removed: Int) {
        let (slots, mask) = (current.slots, current.mask)
        var gap = removed
        var index = removed
        while true {
            index = (index + 1) & mask
            guard slots[index].entry != nil else { break }
            let home = Int(truncatingIfNeeded: slots[index].hash) & mask
            // It may go to the gap unless its search begins behind the gap.
            if (index - home) & mask >= (index - gap) & mask {
                slots[gap] = slots[index]
                gap = index
            }
        }
        slots[gap].entry = nil
    }

    // MARK: resizing

    private mutating func resize(to capacity: Int) {
        // The last resize has ended long before the next one is due; this is for certainty.
        while old != nil { move() }
        old = current
        movedCount = 0
        current = Array(capacity: capacity)
    }

    /// Moves the next slots of the old array.
    private mutating func move() {
        guard let array = old else { return }
        let step =
            array.capacity < current.capacity
            ? Self.slotsPerMoveGrowing : Self.slotsPerMoveShrinking
        let end = min(movedCount + step, array.capacity)
        for index in movedCount..<end {
            guard let entry = array.slots[index].entry, entry != Self.moved else { continue }
            Self.put(array.slots[index], into: current)
            array.slots[index].entry = Self.moved
        }
        movedCount = end
        if end == array.capacity {
            free(array.slots)
            old = nil
        }
    }

    // MARK: everything

    /// Calls `body` with each entry. The table must not change meanwhile.
    func forEach(_ body: (Entry) -> Void) {
        for array in [current, old].compactMap({ $0 }) {
            for index in 0..<array.capacity {
                if let entry = array.slots[index].entry, entry != Self.moved { body(entry) }
            }
        }
    }
}
