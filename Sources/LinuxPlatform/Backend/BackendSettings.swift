/// Sizes of a loop's kernel.
package struct BackendSettings: Sendable {
    /// Entries of the submission queue; a power of two.
    package var submissionEntries: UInt32 = 128
    package var receiveBuffers = ReceiveBuffers.defaultCount
    package var streams = Streams.readiness

    /// How a ring's loop receives and accepts.
    package enum Streams: String, Sendable, CaseIterable {
        /// By recv(2) and accept(2) for what an epoll set calls readable.
        case readiness
        /// By the ring: one request that it repeats, into buffers it was given.
        case multishot
    }

    package init() {}
}
