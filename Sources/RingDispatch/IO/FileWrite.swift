internal import LinuxPlatform

/// A write to a file: one request at a time, from the data's own memory.
///
/// A stream writes from the file's position on, or at the end of a file opened with O_APPEND.
/// Others may write at that position meanwhile: descriptors share it with their duplicates, also
/// in other processes. So the write moves it behind its bytes before it writes them.
final class FileWrite: FileTransfer, @unchecked Sendable {
    // Safety: the runner owns the fields.
    private var piece: FilePiece?

    /// Limited because a request may copy its bytes on the file ring's thread, which serves all
    /// files.
    static let pieceSize = 524_288

    override var isInFlight: Bool { piece != nil }

    override func cancelRequests() { piece?.cancel() }

    override func begin() {
        guard isStream, !Descriptors.appends(descriptor.number) else { return }
        let count = operation.remaining
        place = Descriptors.advancePosition(descriptor.number, by: count)
        // A device has no place behind its end.
        origin = place.map { $0 - Int64(count) } ?? Descriptors.position(descriptor.number)
    }

    override func advance() {
        if let piece {
            guard let result = piece.result else { return }
            self.piece = nil
            take(result)
        }
        guard outcome == nil else { return }
        if operation.isComplete { outcome = 0 } else { ask() }
    }

    private func take(_ result: Int) {
        guard result > 0 else {
            // Nothing written and no errno: retrying would not help.
            if outcome == nil {
                outcome = result == 0 ? ErrorCode.inputOutput : Int32(-result)
            }
            return
        }
        operation.noteWritten(result)
        if outcome == nil && !operation.isComplete { operation.deliverWhatIsDue() }
    }

    private func ask() {
        let list = operation.withUnwritten { pieces in
            GatherList(pieces, limit: min(operation.mostWritten, FileWrite.pieceSize))
        }
        let offset = origin.map { $0 + Int64(operation.transferred) }
        let piece = FilePiece(
            self, .write(list, offset: offset ?? FileRequest.currentPosition))
        self.piece = piece
        piece.start()
    }
}
