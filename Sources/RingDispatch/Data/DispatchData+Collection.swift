extension DispatchData: RandomAccessCollection {
    public typealias Element = UInt8
    public typealias Index = Int
    public typealias Indices = DefaultIndices<DispatchData>
    public typealias SubSequence = Slice<DispatchData>
    public typealias Iterator = DispatchDataIterator

    /// Always 0.
    @inlinable
    public var startIndex: Index { 0 }

    /// The number of bytes.
    @inlinable
    public var endIndex: Index { count }

    /// The byte at an index: O(1) in the first region, O(log *n*) in the others.
    @inlinable
    public subscript(index: Index) -> UInt8 {
        // One unsigned comparison also rejects negative indices.
        if UInt(bitPattern: index) < UInt(bitPattern: first.count) {
            // Safety: `self`, and thus the region's owner, is retained during the read.
            return withExtendedLifetime(self) {
                first.start.load(fromByteOffset: index, as: UInt8.self)
            }
        }
        return byteBehindFirstRegion(index)
    }

    @usableFromInline
    func byteBehindFirstRegion(_ index: Int) -> UInt8 {
        guard index >= 0, index < count else { trap(index: index) }
        let piece = rest[regionNumber(at: index) - 1]
        return withExtendedLifetime(self) {
            piece.region.start.load(fromByteOffset: index - piece.offset, as: UInt8.self)
        }
    }

    /// The bytes of a range, as a slice that retains all of the data and shares its indices. See
    /// also `subdata(in:)`.
    public subscript(bounds: Range<Index>) -> Slice<DispatchData> {
        require(bounds, "subscript")
        return Slice(base: self, bounds: bounds)
    }

    /// An iterator over the bytes. It retains the data.
    @inlinable
    public func makeIterator() -> DispatchDataIterator { DispatchDataIterator(_data: self) }

    /// The preceding index.
    @inlinable
    public func index(before i: Index) -> Index { i - 1 }

    /// The following index.
    @inlinable
    public func index(after i: Index) -> Index { i + 1 }

    /// The index `distance` bytes away.
    @inlinable
    public func index(_ i: Index, offsetBy distance: Int) -> Index { i + distance }

    /// The number of bytes from `start` to `end`.
    @inlinable
    public func distance(from start: Index, to end: Index) -> Int { end - start }

    /// Calls the body if the bytes are in one region; otherwise returns nil.
    public func withContiguousStorageIfAvailable<Result>(
        _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
    ) rethrows -> Result? {
        guard rest.isEmpty else { return nil }
        return try withExtendedLifetime(self) { try body(first.bytes.bindMemory(to: UInt8.self)) }
    }
}
