/// Sizes of a back end.
package struct BackendSettings: Sendable {
    /// Entries of the submission queue; a power of two.
    package var submissionEntries: UInt32 = 128
    package var receiveBuffers = ReceiveBuffers.defaultCount

    package init() {}
}
