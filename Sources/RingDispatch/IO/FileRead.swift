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
    /// The size was found in this turn of the runner: a request that ends there has met the end.
    private var isEndFresh = true
    /// A request read too little: those behind it are discarded and repeated.
    private var hasGap = false
    private var probeSize = FileRead.smallestProbe
    /// How many more requests may be carried out on the caller's thread.
    private var startsHere = 16

    /// Limit of the requests ahead of the handler.
    static let mostBuffers = 4
    static let pieceSize = IOBufferPool.large.bytes
    /// The first size of requests that find the end, and the unit of those before the known end.
    static let smallestProbe = 4096

    override var isInFlight: Bool { !pieces.isEmpty }

    override func cancelRequests() {
        for piece in pieces { piece.cancel() }
    }

    override func begin() {
        if isStream {
            // An empty one may be a file without positions: trace_pipe, or one of FUSE.
            let isAtStart = isFirst && descriptor.sizeAtOpening > 0
            origin = isAtStart ? 0 : Descriptors.position(descriptor.number)
            // A write of the stream would move it meanwhile.
            if descriptor.path?.isWritten == false { place = origin }
        }
        position = origin ?? FileRequest.currentPosition
        if isFirst {
            knownEnd = descriptor.sizeAtOpening
        } else if let origin, origin >= 0 {
            knownEnd = (try? DescriptorFacts(descriptor: descriptor.number))?.size ?? 0
        }
        if knownEnd == 0 { probeSize = IOBufferPool.medium.bytes }
    }

    override func advance() {
        while let piece = pieces.first, let result = piece.result {
            pieces.removeFirst()
            guard case .read(let bytes, let offset) = piece.request.kind else { continue }
            asked -= bytes.count
            ReadAhead.remove(bytes.count)
            take(result, piece.buffer, offset: offset, size: bytes.count)
        }
        if pieces.isEmpty { hasGap = false }
        while outcome == nil, !hasGap, let size = nextSize() {
            if operation.mustHoldBack() { return }
            ask(size)
        }
        if operation.isComplete && outcome == nil { outcome = 0 }
        isEndFresh = false
    }

    private func take(_ result: Int, _ buffer: IOBuffer?, offset: Int64, size: Int) {
        if outcome != nil || hasGap { return }
        guard result > 0, let buffer else {
            outcome = Int32(-result)
            return
        }
        operation.append(buffer.data(result))
        if operation.isComplete {
            outcome = 0
            return
        }
        operation.deliverWhatIsDue()
        if result < size {
            hasGap = !pieces.isEmpty
            if offset >= 0 {
                position = offset + Int64(result)
                // Later the file may have grown, by bytes that the request did not wait for.
                if position == knownEnd && isEndFresh { outcome = 0 }
            }
            knownEnd = min(knownEnd, position)
        } else if offset >= knownEnd || offset < 0 {
            probeSize = FileRead.pieceSize
        }
    }

    /// The size of the next request; nil if none may be sent now.
    private func nextSize() -> Int? {
        let left = operation.remaining - asked
        guard left > 0, pieces.count < (ReadAhead.isLong ? 1 : FileRead.mostBuffers) else {
            return nil
        }
        let most = min(left, operation.limits.high)
        if position >= 0 && position < knownEnd {
            // Whole blocks, for O_DIRECT, and more bytes than there are: less shows the end.
            let known = Int(min(knownEnd - position, Int64(FileRead.pieceSize)))
            let blocks = known / FileRead.smallestProbe + 1
            return min(most, FileRead.pieceSize, blocks * FileRead.smallestProbe)
        }
        return pieces.isEmpty ? min(most, probeSize) : nil
    }

    private func ask(_ size: Int) {
        let buffer = IOBuffer(size)
        let bytes = UnsafeMutableRawBufferPointer(start: buffer.start, count: size)
        let offset = position
        // Beyond the largest offset the kernel refuses the next request.
        if position >= 0 { position += min(Int64(size), .max - position) }
        // Several are read at the same time, and a long read does not keep its caller.
        let isHere = pieces.isEmpty && startsHere > 0
        if isHere { startsHere -= 1 }
        // The last known piece, behind which nothing is read ahead, needs no object.
        let isTried = isHere && position >= knownEnd
        if isTried {
            let isInPlace = place == offset
            let request = FileRequest(
                .read(bytes, offset: isInPlace ? FileRequest.currentPosition : offset),
                descriptor: descriptor.number)
            if let result = FileOperation.attempt(request) {
                if isInPlace { place = offset + Int64(result) }
                return take(Int(result), buffer, offset: offset, size: size)
            }
        }
        let piece = FilePiece(self, .read(bytes, offset: offset), buffer: buffer)
        asked += size
        ReadAhead.add(size)
        pieces.append(piece)
        if isHere { piece.start(isTried: isTried) } else { piece.startElsewhere() }
    }
}
