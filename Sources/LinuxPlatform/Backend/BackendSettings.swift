/// Sizes and modes of a back end.
package struct BackendSettings: Sendable {
    /// Entries of the submission queue; a power of two.
    package var submissionEntries: UInt32 = 128
    package var receiveBuffers = ReceiveBuffers.defaultCount
    package var streams = Streams.readiness

    /// How an io_uring back end receives and accepts.
    package enum Streams: String, Sendable, CaseIterable {
        /// With recv(2) and accept(2), for descriptors that an epoll set reports as readable.
        case readiness
        /// With multishot requests of the ring, into provided buffers.
        case multishot
    }

    package init() {}
}
