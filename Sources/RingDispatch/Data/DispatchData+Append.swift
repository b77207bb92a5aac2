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
        let room = Swift.max(0, tailCapacity - tail.count)
        // No other value, iterator or region references the memory.
        if bytes.count <= room && isKnownUniquelyReferenced(&tail.owner) {
            tail.extend(by: bytes)
            count += bytes.count
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
        } else if tail.isContinued(by: region) {
            tail.count += region.count
        } else {
            rest.append(DataPiece(region: region, offset: offset))
        }
    }

    /// The last region, which is `first` if there are no others.
    private var tail: DataRegion {
        @inline(__always)
        _read {
            if rest.isEmpty { yield first } else { yield rest[rest.count - 1].region }
        }
        @inline(__always)
        _modify {
            if rest.isEmpty { yield &first } else { yield &rest[rest.count - 1].region }
        }
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
