internal import Ring

/// A write to a file: one request after the other, from the data's own memory.
///
/// A stream writes at the file's position, which the kernel moves on, or at the end of a file that
/// was opened to append.
final class FileWrite: FileTransfer, @unchecked Sendable {
    // Safety: what it has belongs to the runner, but for the chunk's result.
    @exclusivity(unchecked) private var chunk: FileChunk?

    /// So that a lane which copies the bytes in place is back soon.
    static let chunkSize = 524_288

    override var isOut: Bool { chunk != nil }

    override func cancelRequests(_ context: Context) { chunk?.cancel(context) }

    override func advance(_ context: Context) {
        if let chunk {
            guard let result = withLock({ chunk.result }) else { return }
            self.chunk = nil
            take(result, context)
        }
        guard outcome == nil else { return }
        if operation.isComplete { outcome = 0 } else { ask(context) }
    }

    private func take(_ result: Int, _ context: Context) {
        guard result > 0 else {
            // Nothing was written, and no reason given: there is none that could pass.
            if outcome == nil {
                outcome = result == 0 ? ErrorCode.inputOutput : Int32(-result)
            }
            return
        }
        operation.noteWritten(result)
        if outcome == nil && !operation.isComplete { operation.deliverWhatIsDue(context) }
    }

    private func ask(_ context: Context) {
        let list = operation.withUnwritten { pieces in
            GatherList(pieces, limit: min(operation.mostWritten, FileWrite.chunkSize))
        }
        let offset = origin.map { $0 + Int64(operation.transferred) }
        let chunk = FileChunk(
            self, .write(list, offset: offset ?? FileRequest.currentPosition), offset: offset ?? -1,
            size: list.byteCount)
        self.chunk = chunk
        chunk.start(context)
    }
}
