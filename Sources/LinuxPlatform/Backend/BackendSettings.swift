/// Sizes of a back end.
package struct BackendSettings: Sendable {
    // Rings so small that their queues overflow all the time: a step of Scripts/verify.sh.
    #if SMALL_RINGS
    package static let entries: (submission: UInt32, completion: UInt32) = (2, 4)
    #else
    /// Room for a burst; the kernel keeps further completions (IORING_FEAT_NODROP). The kernel's
    /// table of polls grows with the completion queue, up to this size.
    package static let entries: (submission: UInt32, completion: UInt32) = (128, 8192)
    #endif

    /// Entries of the submission queue; a power of two.
    package var submissionEntries = BackendSettings.entries.submission
    package var receiveBuffers = ReceiveBuffers.defaultCount

    package init() {}
}
