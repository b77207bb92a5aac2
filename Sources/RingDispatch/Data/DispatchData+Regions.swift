internal import LinuxPlatform

// Region lookup. Region 0 is `first`; region n is `rest[n - 1]`.
extension DispatchData {
    var regionCount: Int { count == 0 ? 0 : 1 + rest.count }

    @inline(__always)
    func region(_ number: Int) -> DataRegion {
        number == 0 ? first : rest[number - 1].region
    }

    @inline(__always)
    func offset(ofRegion number: Int) -> Int {
        number == 0 ? 0 : rest[number - 1].offset
    }

    /// The number of the region that contains the byte at `index`, which is in bounds.
    func regionNumber(at index: Int) -> Int {
        if index < first.count { return 0 }
        // Binary search: region `low` is at or before the result, `high` is behind it.
        var low = 1
        var high = rest.count + 1
        while low + 1 < high {
            let middle = low + (high - low) / 2
            if offset(ofRegion: middle) <= index { low = middle } else { high = middle }
        }
        return low
    }

    /// A region's bytes for the iterator; nil behind the last region.
    @usableFromInline
    func regionBytes(_ number: Int) -> UnsafeRawBufferPointer? {
        number < regionCount ? region(number).bytes : nil
    }

    /// Calls the body with each region's part of the range, and the part's index in the value,
    /// until the body returns false.
    func forEachPart(
        of range: Range<Int>, _ body: (UnsafeRawBufferPointer, Int) throws -> Bool
    ) rethrows {
        guard !range.isEmpty else { return }
        // Safety: the regions' owners live until the body has returned for the last part.
        try withExtendedLifetime(self) {
            for number in regionNumber(at: range.lowerBound)..<regionCount {
                let offset = offset(ofRegion: number)
                guard offset < range.upperBound else { return }
                let bytes = region(number).bytes
                let start = Swift.max(range.lowerBound - offset, 0)
                let end = Swift.min(range.upperBound - offset, bytes.count)
                guard try body(UnsafeRawBufferPointer(rebasing: bytes[start..<end]), offset + start)
                else { return }
            }
        }
    }
}

// MARK: parts

extension DispatchData {
    /// The bytes of a range, without copying them. `dispatch_data_create_subrange`.
    ///
    /// The result retains only the memory of the regions that it has bytes of.
    public func subdata(in range: Range<Index>) -> DispatchData {
        require(range, "subdata(in:)")
        if range.isEmpty { return .empty }
        if range.count == count { return self }
        var part = DispatchData.empty
        for number in regionNumber(at: range.lowerBound)...regionNumber(at: range.upperBound - 1) {
            let region = region(number)
            let offset = offset(ofRegion: number)
            let start = Swift.max(range.lowerBound - offset, 0)
            part.append(region.part(start..<Swift.min(range.upperBound - offset, region.count)))
        }
        return part
    }

    /// The region that contains the byte at `location`, and the index of its first byte.
    /// `dispatch_data_copy_region`.
    /// - Parameter location: not negative. Behind the last byte, the result is empty and its offset
    ///   is the count.
    public func region(location: Int) -> (data: DispatchData, offset: Int) {
        guard location >= 0 else { trap(index: location) }
        guard location < count else { return (.empty, count) }
        let number = regionNumber(at: location)
        return (DispatchData(region(number)), offset(ofRegion: number))
    }

    /// A contiguous region, a value itself. Its indices start at 0.
    public typealias Region = DispatchData

    /// The regions in order, each as a contiguous value. Nothing is copied.
    public var regions: Regions { Regions(base: self) }

    /// The contiguous regions of a value; none is empty.
    public struct Regions: RandomAccessCollection, Sendable {
        let base: DispatchData

        public var startIndex: Int { 0 }
        public var endIndex: Int { base.regionCount }

        public subscript(position: Int) -> DispatchData {
            guard indices.contains(position) else {
                fatalMisuse(
                    "DispatchData.regions: index \(position) is out of bounds, "
                        + "the count is \(count)")
            }
            return DispatchData(base.region(position))
        }
    }
}

// MARK: scatter and gather

extension DispatchData {
    /// Calls the body with the first buffers from `offset` on, without copying, as for writev(2).
    ///
    /// The addresses stay valid after the body while a copy of this value, or a part with these
    /// bytes, is retained.
    /// - Parameters:
    ///   - offset: from 0 up to the count, which gives no buffers.
    ///   - limit: the maximum number of buffers, at least one.
    package func withBuffers<Result>(
        from offset: Int, limit: Int,
        _ body: (UnsafeBufferPointer<UnsafeRawBufferPointer>) -> Result
    ) -> Result {
        guard offset >= 0, offset <= count else { trap(index: offset) }
        guard offset < count else { return body(UnsafeBufferPointer(start: nil, count: 0)) }
        precondition(limit > 0, "the limit must be positive")
        let most = Swift.min(limit, regionCount - regionNumber(at: offset))
        return withUnsafeTemporaryAllocation(of: UnsafeRawBufferPointer.self, capacity: most) {
            buffers in
            var filled = 0
            forEachPart(of: offset..<count) { part, _ in
                buffers.initializeElement(at: filled, to: part)
                filled += 1
                return filled < most
            }
            return withExtendedLifetime(self) { body(UnsafeBufferPointer(buffers)) }
        }
    }
}
