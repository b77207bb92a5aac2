/// One event that the kernel reported. Laid out like the kernel's own (struct io_uring_cqe).
package struct Completion {
    /// The token its watch was made with; 0 stands for none (a wake-up).
    package var token: UInt64
    /// A watch: the poll(2) events that are ready; a request or a receipt: the count of bytes; an
    /// accepted connection: its descriptor; or a negated `errno`.
    package var result: Int32
    var flags: UInt32 = 0

    static let bufferFlag: UInt32 = 1 << 0
    static let moreFlag: UInt32 = 1 << 1
    static let bufferShift: UInt32 = 16

    /// The same request has more completions to come. Only what receives and accepts has.
    @inline(__always)
    package var hasMore: Bool { flags & Completion.moreFlag != 0 }

    /// The number of the receive buffer that the bytes are in.
    @inline(__always)
    package var buffer: UInt16? {
        flags & Completion.bufferFlag == 0 ? nil : UInt16(flags >> Completion.bufferShift)
    }
}
