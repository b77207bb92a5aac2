/// The memory that a lane's kernel receives into: buffers of one size, each with a number.
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

/// Sizes of a lane's kernel.
package struct KernelSettings: Sendable {
    /// Entries of the submission queue; a power of two.
    package var submissionEntries: UInt32 = 128
    package var receiveBuffers = ReceiveBuffers.defaultCount
    package var streams = Streams.readiness

    /// How a ring's lane receives and accepts.
    package enum Streams: String, Sendable, CaseIterable {
        /// By recv(2) and accept(2) for what an epoll set calls readable.
        case readiness
        /// By the ring: one request that it repeats, into buffers it was given.
        case multishot
    }

    package static let entries = 2...4096

    package init() {}
}
