import Glibc
package import RingDispatch

/// `count` bytes that count up from `first`.
package func countingBytes(_ count: Int, from first: Int = 0) -> [UInt8] {
    (first..<first + count).map { UInt8(truncatingIfNeeded: $0) }
}

/// How many bytes could be read of a pipe or socket (FIONREAD); -1: an error.
package func unreadBytes(_ descriptor: Int32) -> Int {
    var count: Int32 = 0
    return ioctl(descriptor, UInt(FIONREAD), &count) == 0 ? Int(count) : -1
}

/// A copy of the bytes in memory of its own.
package func copied(_ bytes: [UInt8]) -> DispatchData {
    bytes.withUnsafeBytes { DispatchData(bytes: $0) }
}

/// Counting bytes in regions of the given sizes.
package func regions(_ sizes: Int...) -> DispatchData {
    var data = DispatchData.empty
    for size in sizes { data.append(copied(countingBytes(size, from: data.count))) }
    return data
}

/// Memory that reports its deallocation.
package final class Block: @unchecked Sendable {
    // Safety: written before it is shared.
    package let start: UnsafeMutableRawPointer
    package let count: Int
    private let returns: Watched<Int>

    package init(_ bytes: [UInt8], returns: Watched<Int>) {
        count = bytes.count
        self.returns = returns
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
        memory.copyBytes(from: bytes)
        start = memory.baseAddress!
    }

    deinit {
        start.deallocate()
        returns.increment()
    }

    /// Data over the memory, which lives as long as the data.
    package static func data(_ bytes: [UInt8], returns: Watched<Int>) -> DispatchData {
        let block = Block(bytes, returns: returns)
        return DispatchData(start: block.start, count: block.count, owner: block)
    }
}

extension DispatchData {
    /// The address of each region's first byte.
    package var addresses: [UnsafeRawPointer] {
        regions.map { $0.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in bytes.baseAddress! } }
    }
}
