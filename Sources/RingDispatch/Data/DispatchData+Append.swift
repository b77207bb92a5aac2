extension DispatchData {
    /// Larger buffers get memory of exactly their size.
    static let largestSmallAppend = 4096
    static let smallestTail = 64
    static let largestTail = 65_536

    /// Appends the regions of another value without copying bytes. `dispatch_data_create_concat`.
    public mutating func append(_ other: DispatchData) {
        if count == 0 {
            self = other
            return
        }
        if other.count == 0 { return }
        append(other.first)
        if !other.rest.isEmpty {
            for piece in other.rest { append(piece.region) }
        }
        tailCapacity = other.tailCapacity
    }

    /// Appends a copy of the bytes.
    ///
    /// Small buffers share memory: a later append extends the last region in place if this value
    /// alone references it.
    public mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.baseAddress != nil, requireCount(bytes.count, "append(_:)") > 0 else { return }
        let room = Swift.max(0, tailCapacity - lastRegionCount)
        if bytes.count <= room && isLastOwnerUnique() {
            extendLastRegion(by: bytes)
            return
        }
        guard bytes.count <= DispatchData.largestSmallAppend else {
            append(CopiedBytes.region(copying: bytes, capacity: bytes.count))
            return
        }
        // A full tail is followed by one of twice its size, to keep regions few. A tail shared with
        // other values is not: each change after a copy would allocate a bigger one.
        let isFull = bytes.count > room
        let grown = isFull ? Swift.min(2 * tailCapacity, DispatchData.largestTail) : 0
        let capacity = Swift.max(bytes.count, grown, DispatchData.smallestTail)
        append(CopiedBytes.region(copying: bytes, capacity: capacity))
        tailCapacity = capacity
    }

    /// Appends a copy of the values' memory.
    public mutating func append<SourceType>(_ buffer: UnsafeBufferPointer<SourceType>) {
        append(UnsafeRawBufferPointer(buffer))
    }

    /// Appends a nonempty region. A region that continues the last one is merged into it.
    mutating func append(_ region: DataRegion) {
        let offset = count
        count += region.count
        tailCapacity = 0
        if offset == 0 {
            first = region
        } else if rest.isEmpty && first.isContinued(by: region) {
            first.count += region.count
        } else if !rest.isEmpty && rest[rest.count - 1].region.isContinued(by: region) {
            rest[rest.count - 1].region.count += region.count
        } else {
            rest.append(DataPiece(region: region, offset: offset))
        }
    }

    // MARK: the tail

    private var lastRegionCount: Int { rest.last?.region.count ?? first.count }

    /// Whether no other value, iterator or region references the last region's memory.
    private mutating func isLastOwnerUnique() -> Bool {
        if rest.isEmpty { return isKnownUniquelyReferenced(&first.owner) }
        return isKnownUniquelyReferenced(&rest[rest.count - 1].region.owner)
    }

    /// Safety: the caller has checked that the bytes fit and the memory is not shared.
    private mutating func extendLastRegion(by bytes: UnsafeRawBufferPointer) {
        if rest.isEmpty {
            first.extend(by: bytes)
        } else {
            rest[rest.count - 1].region.extend(by: bytes)
        }
        count += bytes.count
    }
}

extension DataRegion {
    /// Safety: the owner's memory continues behind the region, and no other region covers it.
    fileprivate mutating func extend(by bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawPointer(mutating: start + count)
            .copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
        count += bytes.count
    }
}
