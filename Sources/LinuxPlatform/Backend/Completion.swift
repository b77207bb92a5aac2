/// One event that the kernel reported, in the layout of struct io_uring_cqe.
package struct Completion {
    /// The token of the registration or request; 0 stands for none (a wake-up).
    package var token: UInt64
    /// For a registration, the ready poll(2) events; for a file request or a receipt, the number of
    /// bytes; for accepting, the new descriptor. Or a negated `errno`.
    package var result: Int32
    var flags: UInt32 = 0

    static let bufferFlag: UInt32 = 1 << 0
    static let moreFlag: UInt32 = 1 << 1
    static let bufferShift: UInt32 = 16

    /// More completions of the same request follow. Only for receiving and accepting.
    @inline(__always)
    package var hasMore: Bool { flags & Completion.moreFlag != 0 }

    /// The number of the receive buffer that holds the bytes.
    @inline(__always)
    package var buffer: UInt16? {
        flags & Completion.bufferFlag == 0 ? nil : UInt16(flags >> Completion.bufferShift)
    }
}
