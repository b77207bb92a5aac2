internal import RingDispatch

// Removes bytes for a layer that encrypts them, instead of sending them as they are.
extension OutgoingQueue {
    /// Removes the next slice and passes it to `body`. Returns the completion to call once the
    /// kernel has taken the output of `body`. Throws if a file cannot be read. The queue must not
    /// be empty.
    mutating func takeSlice(
        limit: Int, _ body: (UnsafeRawBufferPointer) -> Void
    ) throws(SocketError) -> SendCompletion? {
        let piece = next
        let count = min(limit, piece.count - piece.taken)
        switch piece.content {
        case .bytes(let bytes):
            bytes.withUnsafeBytes {
                body(UnsafeRawBufferPointer(rebasing: $0[piece.taken..<piece.taken + count]))
            }
        case .data(let data):
            if count > 0 { OutgoingQueue.withContiguousBytes(data, piece.taken, count, body) }
        case .file(let file):
            if let error = file.read(from: piece.taken, count: count, body) { throw error }
        }
        return take(count) ? piece.completion : nil
    }

    private static func withContiguousBytes(
        _ data: DispatchData, _ offset: Int, _ count: Int, _ body: (UnsafeRawBufferPointer) -> Void
    ) {
        data.withBuffers(from: offset, limit: 1) { buffers in
            if let only = buffers.first, only.count >= count {
                return body(UnsafeRawBufferPointer(rebasing: only[..<count]))
            }
            // A TLS record for each of many small regions would cost more than the copy.
            let bytes = [UInt8](unsafeUninitializedCapacity: count) { target, filled in
                data.copyBytes(
                    to: UnsafeMutableRawBufferPointer(target), from: offset..<offset + count)
                filled = count
            }
            bytes.withUnsafeBytes(body)
        }
    }
}
