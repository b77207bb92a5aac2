extension DispatchData {
    /// Larger buffers get memory of their own size.
    static let largestSmallAppend = 4096
    static let smallestTail = 64
    static let largestTail = 65_536

    /// Adds the regions of another value behind the last byte; no byte is copied.
    /// `dispatch_data_create_concat`.
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

    /// Copies bytes behind the last one.
    ///
    /// Small buffers share memory: what is appended next may go behind them, if this value is the
    /// only one with the last region. No byte is copied again later.
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
        // A tail that is full is followed by one of twice its size, so that there are few. One that
        // somebody else holds is not: each change after a copy would make a bigger one.
        let isFull = bytes.count > room
        let grown = isFull ? Swift.min(2 * tailCapacity, DispatchData.largestTail) : 0
        let capacity = Swift.max(bytes.count, grown, DispatchData.smallestTail)
        append(CopiedBytes.region(copying: bytes, capacity: capacity))
        tailCapacity = capacity
    }

    /// Copies the memory of values behind the last byte, as many bytes as they occupy.
    public mutating func append<SourceType>(_ buffer: UnsafeBufferPointer<SourceType>) {
        append(UnsafeRawBufferPointer(buffer))
    }

    /// Adds a region, which is not empty. One that continues the last one becomes a part of it.
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

    /// Whether no other value, iterator or region holds the last region's memory.
    private mutating func isLastOwnerUnique() -> Bool {
        if rest.isEmpty { return isKnownUniquelyReferenced(&first.owner) }
        return isKnownUniquelyReferenced(&rest[rest.count - 1].region.owner)
    }

    /// Safety: the caller saw that the bytes have room, and that nobody else holds the memory.
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
    /// Safety: the memory behind the region is the owner's, and no other region is over it.
    fileprivate mutating func extend(by bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawPointer(mutating: start + count)
            .copyMemory(from: bytes.baseAddress!, byteCount: bytes.count)
        count += bytes.count
    }
}
