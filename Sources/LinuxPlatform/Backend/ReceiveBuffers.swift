/// The memory that a loop's kernel receives into: buffers of one size, each with a number.
///
/// Few that stay in the cache serve many connections, for each has one only while its handler runs.
package struct ReceiveBuffers: @unchecked Sendable {
    // Safety: whoever was given a buffer's number uses its memory until it gives it back.
    package let start: UnsafeMutableRawPointer
    package let count: Int

    /// Bytes of each buffer: what a handler is given at once. A message that is longer costs a
    /// completion and a call of the handler for each part.
    package static let size = 8192
    package static let defaultCount = 1024
    /// The kernel starts with the first so many, and is given the others when those do not suffice:
    /// memory that nobody needed is never touched.
    package var initialCount: Int { min(count, 128) }
    /// A power of two; the kernel's limit is the upper one.
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
