/// Contiguous bytes, and the object that owns their memory.
///
/// The bytes neither move nor change while the owner is retained, so any number of values, on any
/// threads, may have regions over the same memory.
@usableFromInline
struct DataRegion: Sendable {
    // Safety: the owner may be released on any thread, and the bytes are never written.

    /// Nil only for the empty region.
    @usableFromInline nonisolated(unsafe) var owner: AnyObject?
    @usableFromInline nonisolated(unsafe) let start: UnsafeRawPointer
    @usableFromInline var count: Int

    /// - Parameter owner: keeps the bytes readable and unchanged until its last release, which may
    /// be on any thread.
    init(owner: AnyObject?, start: UnsafeRawPointer, count: Int) {
        self.owner = owner
        self.start = start
        self.count = count
    }

    /// The address is never read.
    static var empty: DataRegion {
        DataRegion(
            owner: nil, start: UnsafeRawPointer(bitPattern: MemoryLayout<Int>.alignment)!, count: 0)
    }

    /// Valid while the owner is retained.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// A part of the region; the caller has checked the bounds.
    func part(_ range: Range<Int>) -> DataRegion {
        DataRegion(owner: owner, start: start + range.lowerBound, count: range.count)
    }

    /// Whether the other region directly follows this one in the same memory.
    func isContinued(by other: DataRegion) -> Bool {
        owner === other.owner && start + count == other.start
    }
}
