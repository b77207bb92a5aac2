/// The memory that a back end receives into: numbered buffers of one size.
///
/// A few buffers that stay in the cache serve many connections, because a connection holds one only
/// while its handler runs.
package struct ReceiveBuffers: @unchecked Sendable {
    // Safety: only the holder of a buffer's number uses its memory, until it gives the number back.
    package let start: UnsafeMutableRawPointer
    package let count: Int

    /// Bytes of each buffer, and the most that a handler receives at once. Each part of a longer
    /// message costs a completion and a call of the handler.
    package static let size = 8192
    package static let defaultCount = 1024
    /// Number of buffers that the back end starts with. It gets the others when these do not
    /// suffice, so that memory nobody needs is never touched.
    package var initialCount: Int { min(count, 128) }
    /// A power of two.
    package static let counts = 2...32_768

    init(count: Int) {
        self.count = count
        start = PageMemory.allocate(count * ReceiveBuffers.size)
    }

    func free() { PageMemory.free(start, count * ReceiveBuffers.size) }

    @inline(__always)
    package subscript(number: UInt16) -> UnsafeMutableRawPointer {
        start + Int(number) * ReceiveBuffers.size
    }
}
