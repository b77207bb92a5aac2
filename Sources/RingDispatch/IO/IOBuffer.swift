internal import LinuxPlatform

/// Memory that a channel reads into, from the pool. Goes back there with its last reference: the
/// data that was read holds one, no matter how it is cut and copied.
final class IOBuffer: @unchecked Sendable {
    // Safety: written to by one reader before anybody else has it, and by nobody after that.
    let start: UnsafeMutableRawPointer
    let size: IOBufferPool.Size

    private init(_ start: UnsafeMutableRawPointer, _ size: IOBufferPool.Size) {
        self.start = start
        self.size = size
    }

    /// A buffer with room for so many bytes, or the biggest one.
    static func take(_ count: Int) -> IOBuffer {
        let size = IOBufferPool.Size.fitting(count)
        return IOBuffer(IOBufferPool.take(size), size)
    }

    deinit { IOBufferPool.giveBack(start, size) }

    var capacity: Int { size.bytes }

    /// The bytes that were read as a value. Few bytes in a big buffer are copied, so that they do
    /// not hold all of it.
    func data(_ count: Int) -> DispatchData {
        if count <= IOBuffer.largestCopy && count < capacity / 2 {
            return DispatchData(bytes: UnsafeRawBufferPointer(start: start, count: count))
        }
        return DispatchData(start: start, count: count, owner: self)
    }

    static let largestCopy = 8192
}
