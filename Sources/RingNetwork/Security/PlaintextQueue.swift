internal import RingDispatch

/// What was sent on a secured connection and is not encrypted: because the handshake has not ended,
/// or so that no more is encrypted ahead than the wire soon takes.
struct PlaintextQueue {
    private struct Piece {
        let content: OutgoingQueue.Content
        let count: Int
        let completion: SendCompletion?
    }

    private var pieces: [Piece] = []
    private var first = 0
    /// Bytes of the first piece that were taken out.
    private var taken = 0
    private(set) var byteCount = 0

    var isEmpty: Bool { first == pieces.count }

    mutating func append(_ content: OutgoingQueue.Content, _ completion: SendCompletion?) {
        let count = content.count
        byteCount += count
        pieces.append(Piece(content: content, count: count, completion: completion))
    }

    /// Takes the next slice out, which is lent to the body, and gives what is to be called when
    /// that is with the kernel. Throws what keeps a file from being read. There must be a piece.
    mutating func takeSlice(
        limit: Int, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(SocketError) -> SendCompletion? {
        let piece = pieces[first]
        let count = min(limit, piece.count - taken)
        switch piece.content {
        case .bytes(let bytes):
            bytes.withUnsafeBytes {
                body(UnsafeRawBufferPointer(rebasing: $0[taken..<taken + count]))
            }
        case .data(let data):
            if count > 0 { PlaintextQueue.lend(data, taken, count, body) }
        case .file(let file):
            if let error = file.read(from: taken, count: count, body) { throw error }
        }
        taken += count
        byteCount -= count
        if taken < piece.count { return nil }
        taken = 0
        first += 1
        if isEmpty {
            pieces = []
            first = 0
        }
        return piece.completion
    }

    private static func lend(
        _ data: DispatchData, _ offset: Int, _ count: Int, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        data.withBuffers(from: offset, limit: 1) { buffers in
            if let only = buffers.first, only.count >= count {
                return body(UnsafeRawBufferPointer(rebasing: only[..<count]))
            }
            // A record for each of many small regions would cost more than the copy.
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { target, filled in
                data.copyBytes(
                    to: UnsafeMutableRawBufferPointer(target), from: offset..<offset + count)
                filled = count
            }
            bytes.withUnsafeBytes(body)
        }
    }

    /// Nothing more is encrypted. Returns who waits for it.
    mutating func abandon() -> [SendCompletion] {
        defer { self = PlaintextQueue() }
        return pieces[first...].compactMap { $0.completion }
    }
}
