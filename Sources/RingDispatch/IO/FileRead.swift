internal import LinuxPlatform

/// A read of a file: requests run ahead of the handler up to the known end of the file, then one at
/// a time.
final class FileRead: FileTransfer, @unchecked Sendable {
    // Safety: the runner owns the fields.
    /// Requests in flight, or completed but not processed yet, in file order.
    private var pieces: [FilePiece] = []
    /// The offset of the next request.
    private var position: Int64 = 0
    /// Requested bytes that have not been processed.
    private var asked = 0
    /// The file's size at the start; beyond it, requests are sent one at a time.
    private var knownEnd: Int64 = 0
    /// A request read too little: those behind it are discarded and repeated.
    private var hasGap = false
    private var probeSize = FileRead.smallestProbe
    /// How many more requests may be carried out on the caller's thread.
    private var startsHere = 16

    /// Limit of the requests ahead of the handler.
    static let mostBuffers = 4
    static let pieceSize = IOBufferPool.largest
    /// The first size of requests that find the end, or read a file that reports no size.
    static let smallestProbe = 4096

    override var isInFlight: Bool { !pieces.isEmpty }

    override func cancelRequests() {
        for piece in pieces { piece.cancel() }
    }

    override func begin() {
        if isStream { origin = isFirst ? 0 : OpenFile.position(descriptor.number) }
        position = origin ?? FileRequest.currentPosition
        if isFirst {
            knownEnd = descriptor.sizeAtOpening
        } else if let origin, origin >= 0 {
            knownEnd = (try? DescriptorFacts(descriptor: descriptor.number))?.size ?? 0
        }
        if knownEnd == 0 { probeSize = IOBufferPool.Size.medium.bytes }
    }

    override func advance() {
        while let (piece, result) = nextEnded() { take(piece, result) }
        if pieces.isEmpty { hasGap = false }
        while outcome == nil, !hasGap, let size = nextSize() {
            if operation.mustHoldBack() { return }
            ask(size)
        }
        if operation.isComplete && outcome == nil { outcome = 0 }
    }

    private func nextEnded() -> (FilePiece, Int)? {
        guard let first = pieces.first, let result = first.result else { return nil }
        pieces.removeFirst()
        return (first, result)
    }

    private func take(_ piece: FilePiece, _ result: Int) {
        asked -= piece.size
        if outcome != nil || hasGap { return }
        guard result > 0, let buffer = piece.buffer else {
            outcome = Int32(-result)
            return
        }
        operation.append(buffer.data(result))
        if operation.isComplete {
            outcome = 0
            return
        }
        operation.deliverWhatIsDue()
        if result < piece.size {
            hasGap = !pieces.isEmpty
            if piece.offset >= 0 { position = piece.offset + Int64(result) }
            knownEnd = min(knownEnd, position)
        } else if piece.offset >= knownEnd || piece.offset < 0 {
            probeSize = FileRead.pieceSize
        }
    }

    /// The size of the next request; nil if none may be sent now.
    private func nextSize() -> Int? {
        let left = operation.remaining - asked
        guard left > 0, pieces.count < FileRead.mostBuffers else { return nil }
        let most = min(left, operation.limits.high)
        if position >= 0 && position < knownEnd {
            return min(most, FileRead.pieceSize, Int(knownEnd - position))
        }
        return pieces.isEmpty ? min(most, probeSize) : nil
    }

    private func ask(_ size: Int) {
        let buffer = IOBuffer.take(size)
        let bytes = UnsafeMutableRawBufferPointer(start: buffer.start, count: size)
        let piece = FilePiece(
            self, .read(bytes, offset: position), offset: position, size: size, buffer: buffer)
        asked += size
        // Beyond the largest offset the kernel refuses the next request.
        if position >= 0 { position += min(Int64(size), .max - position) }
        pieces.append(piece)
        // Several are read at the same time, and a long read does not keep its caller.
        if pieces.count == 1, startsHere > 0 {
            startsHere -= 1
            piece.start()
        } else {
            piece.startElsewhere()
        }
    }
}
