internal import RingDispatch

/// The bytes from one end of a pair to the other: the writes and the reads, each in the order of
/// their submission.
final class ByteStream: @unchecked Sendable {
    /// Nothing is ever written.
    let isSilent = oneIn(2)
    private var writes: [TestedOperation] = []
    private var reads: [TestedOperation] = []
    /// What the reading end found in the descriptor after its last read.
    private var rest: [UInt8] = []
    /// The writing end had finished by then.
    private var isWhole = false

    /// Admits one submission of a write and one of a read at a time, which fixes their order.
    let writeTurn = DispatchSemaphore(value: 1)
    let readTurn = DispatchSemaphore(value: 1)

    /// The caller has the turn.
    func add(_ operation: TestedOperation) {
        if operation.isRead { reads.append(operation) } else { writes.append(operation) }
    }

    /// Reads what is left, without channels.
    func drain(_ descriptor: Int32, isWhole: Bool) {
        self.isWhole = isWhole
        setNonBlocking(descriptor)
        while true {
            let (result, bytes) = readSome(descriptor, 16_384)
            if result <= 0 { break }
            rest += bytes
        }
    }

    /// The bytes read are those written, in order, none twice, up to the end of the readers.
    func check() {
        let written = writes.flatMap(\.written)
        let read = reads.flatMap(\.bytes) + rest
        require(read.count <= written.count, "\(read.count) of \(written.count) bytes were read")
        require(!isWhole || read.count == written.count, "bytes are lost")
        require(read == Array(written.prefix(read.count)), "wrong bytes were read")
    }
}
