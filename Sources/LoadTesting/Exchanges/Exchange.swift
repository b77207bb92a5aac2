/// What one connection says, and what it expects to hear: a subclass for each protocol. Confined to
/// its shard's queue.
///
/// Messages have numbers, from 0 on each connection. Answers come in the order of the messages.
class Exchange: @unchecked Sendable {
    // Safety: used on the shard's queue only.
    /// Messages that were written.
    @exclusivity(unchecked) final var writtenCount: UInt64 = 0
    /// Messages that were answered in full, and rightly.
    @exclusivity(unchecked) final var answeredCount: UInt64 = 0

    /// Appends the next message.
    func write(into buffer: MessageBuffer) { writtenCount &+= 1 }

    /// Looks at bytes that came, and counts answers. Returns what was wrong with them.
    func check(_ bytes: UnsafeRawBufferPointer) -> Finding? { nil }

    /// The peer has said that the connection ends with the last answer.
    var isOver: Bool { false }

    /// Bytes of the next answer that came; 0: none did.
    var partialBytes: Int { 0 }

    /// What is wrong when nothing more comes; nil: nothing, it all came.
    func findingAtEnd() -> Finding? {
        partialBytes > 0
            ? Finding(.truncation, "the answer to message \(answeredCount) was cut off")
            : nil
    }
}
