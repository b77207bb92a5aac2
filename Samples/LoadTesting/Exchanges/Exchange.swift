/// Writes the messages of one connection and checks the answers; a subclass for each protocol. Runs
/// on its shard's queue.
///
/// Messages are numbered from 0 on each connection. Answers arrive in the same order.
class Exchange: @unchecked Sendable {
    // Safety: only the shard's queue touches the state.
    /// The number of messages written.
    @exclusivity(unchecked) final var writtenCount: UInt64 = 0
    /// The number of messages with a complete and correct answer.
    @exclusivity(unchecked) final var answeredCount: UInt64 = 0

    /// Appends the next message, and counts it.
    func write(into buffer: MessageBuffer) {}

    /// Checks received bytes and counts complete answers. Returns the first error.
    func check(_ bytes: UnsafeRawBufferPointer) -> Finding? { nil }

    /// True if the server has announced that it closes the connection after the last answer.
    var isOver: Bool { false }

    /// Received bytes of an incomplete answer.
    var partialBytes: Int { 0 }

    /// The error if the stream ends now; nil if all answers are complete.
    func findingAtEnd() -> Finding? {
        partialBytes > 0
            ? Finding(.truncation, "the answer to message \(answeredCount) was truncated")
            : nil
    }
}
