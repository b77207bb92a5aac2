/// Memory from the pool that a channel reads into. It returns to the pool with its last reference,
/// which may be one of the data that was read.
final class IOBuffer: @unchecked Sendable {
    // Safety: one reader writes before the buffer is shared; afterwards it never changes.
    let start: UnsafeMutableRawPointer
    private let pool: IOBufferPool

    /// A buffer for `count` bytes, or the largest one.
    init(_ count: Int) {
        pool = .fitting(count)
        start = pool.take()
    }

    deinit { pool.giveBack(start) }

    /// The bytes that were read. A few bytes in a big buffer are copied, to release it.
    func data(_ count: Int) -> DispatchData {
        if count <= IOBuffer.largestCopy && count < pool.bytes / 2 {
            return DispatchData(bytes: UnsafeRawBufferPointer(start: start, count: count))
        }
        return DispatchData(start: start, count: count, owner: self)
    }

    static let largestCopy = 8192
}
