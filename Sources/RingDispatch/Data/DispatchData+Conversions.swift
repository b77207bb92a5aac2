internal import LinuxPlatform

extension DispatchData {
    /// Uses an array's bytes without copying them: the data retains the array.
    public init(_ bytes: [UInt8]) {
        self.init(ArrayBytes.region(bytes) ?? .empty)
    }

    /// Uses the bytes of a slice without copying them.
    public init(_ slice: Slice<DispatchData>) {
        self = slice.base.subdata(in: slice.startIndex..<slice.endIndex)
    }

    /// Copies the bytes of any sequence.
    public init(_ bytes: some Sequence<UInt8>) {
        let data = bytes.withContiguousStorageIfAvailable { buffer in
            DispatchData(bytes: UnsafeRawBufferPointer(buffer))
        }
        self = data ?? DispatchData(Array(bytes))
    }
}

extension Array<UInt8> {
    /// Copies the bytes once, or not at all if the data was made from an array.
    public init(_ data: DispatchData) {
        if data.rest.isEmpty, let owner = data.first.owner as? ArrayBytes,
            owner.array.count == data.count
        {
            self = owner.array
            return
        }
        self.init(unsafeUninitializedCapacity: data.count) { buffer, initializedCount in
            initializedCount = data.copyBytes(to: buffer)
        }
    }
}

extension DispatchData: Equatable {
    /// Whether two values have the same bytes, however divided into regions.
    public static func == (one: DispatchData, other: DispatchData) -> Bool {
        guard one.count == other.count else { return false }
        var isEqual = true
        one.forEachPart(of: 0..<one.count) { part, offset in
            other.forEachPart(of: offset..<offset + part.count) { otherPart, otherOffset in
                let start = otherOffset - offset
                isEqual = Memory.areEqual(
                    UnsafeRawBufferPointer(rebasing: part[start..<start + otherPart.count]),
                    otherPart)
                return isEqual
            }
            return isEqual
        }
        return isEqual
    }
}

extension DispatchData: Hashable {
    public func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        // The hash does not depend on the regions: a hasher takes the bytes as one stream.
        forEachPart(of: 0..<count) { part, _ in
            hasher.combine(bytes: part)
            return true
        }
    }
}

extension DispatchData: CustomDebugStringConvertible {
    /// The size and the number of regions, as in "DispatchData(10 bytes in 2 regions)".
    public var debugDescription: String {
        "DispatchData(\(count) \(count == 1 ? "byte" : "bytes") in \(regionCount) "
            + "\(regionCount == 1 ? "region" : "regions"))"
    }
}
