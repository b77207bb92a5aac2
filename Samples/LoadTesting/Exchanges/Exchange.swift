/// Makes the messages of one connection and checks the answers: a subclass for each protocol.
/// Confined to its shard's queue.
///
/// Messages have numbers, from 0 on each connection. Answers come in the order of the messages.
class Exchange: @unchecked Sendable {
    // Safety: used on the shard's queue only.
    /// Messages that were written.
    @exclusivity(unchecked) final var writtenCount: UInt64 = 0
    /// Messages with a complete and correct answer.
    @exclusivity(unchecked) final var answeredCount: UInt64 = 0

    /// Appends the next message.
    func write(into buffer: MessageBuffer) { writtenCount &+= 1 }

    /// Checks received bytes and counts answers. Returns the first error.
    func check(_ bytes: UnsafeRawBufferPointer) -> Finding? { nil }

    /// The peer has announced that the connection ends after the last answer.
    var isOver: Bool { false }

    /// Received bytes of the incomplete answer.
    var partialBytes: Int { 0 }

    /// The error when the stream ends now; nil if all answers are complete.
    func findingAtEnd() -> Finding? {
        partialBytes > 0
            ? Finding(.truncation, "the answer to message \(answeredCount) was cut off")
            : nil
    }
}
