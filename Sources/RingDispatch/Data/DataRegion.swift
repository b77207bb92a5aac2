/// Bytes in one piece, and the object that keeps their memory.
///
/// The bytes of a region never move and never change while anybody holds the owner: many values
/// may have regions over the same memory, on many threads.
@usableFromInline
struct DataRegion: @unchecked Sendable {
    // Safety: the owner may be released on any thread, and nobody writes to the bytes.

    /// Nil for the empty region only.
    @usableFromInline var owner: AnyObject?
    @usableFromInline let start: UnsafeRawPointer
    @usableFromInline var count: Int

    /// - Parameter owner: keeps the bytes readable and unchanged until its last reference goes,
    ///   which may happen on any thread.
    init(owner: AnyObject, start: UnsafeRawPointer, count: Int) {
        self.owner = owner
        self.start = start
        self.count = count
    }

    private init(emptyAt start: UnsafeRawPointer) {
        owner = nil
        self.start = start
        count = 0
    }

    /// Its address is never read.
    static var empty: DataRegion {
        DataRegion(emptyAt: UnsafeRawPointer(bitPattern: MemoryLayout<Int>.alignment)!)
    }

    /// For as long as the owner is held.
    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// The same bytes for those who want them typed.
    var typedBytes: UnsafeBufferPointer<UInt8> { bytes.bindMemory(to: UInt8.self) }

    /// A part of the region, whose bounds the caller has checked.
    func part(_ range: Range<Int>) -> DataRegion {
        var part = self.from(range.lowerBound)
        part.count = range.count
        return part
    }

    private func from(_ offset: Int) -> DataRegion {
        guard offset > 0, let owner else { return self }
        return DataRegion(owner: owner, start: start + offset, count: count - offset)
    }

    /// Whether the other region is over the bytes that follow these ones in the same memory.
    func isContinued(by other: DataRegion) -> Bool {
        owner === other.owner && start + count == other.start
    }
}
