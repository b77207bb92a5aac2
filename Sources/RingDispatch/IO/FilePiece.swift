internal import LinuxPlatform
internal import Synchronization

/// One request of a file transfer.
final class FilePiece: FileOperation, @unchecked Sendable {
    // Safety: the result is atomic, the rest constant.
    let transfer: FileTransfer
    /// The destination of a read.
    let buffer: IOBuffer?
    /// `note` (releasing) pairs with `result` (acquiring): the runner that sees a result also sees
    /// the bytes.
    private let ended = Atomic<Int>(FilePiece.isInFlight)
    private static let isInFlight = Int.min

    init(_ transfer: FileTransfer, _ kind: FileRequest.Kind, buffer: IOBuffer? = nil) {
        self.transfer = transfer
        self.buffer = buffer
        super.init(FileRequest(kind, descriptor: transfer.descriptor.number))
        transfer.descriptor.clearNonBlocking()
    }

    /// The number of bytes or a negated errno; nil while in flight.
    var result: Int? {
        let result = ended.load(ordering: .acquiring)
        return result == FilePiece.isInFlight ? nil : result
    }

    override func completed(result: Int32) {
        let mustRepeat = result == -ErrorCode.tryAgain || result == -ErrorCode.interrupted
        if mustRepeat && !transfer.operation.isAborted {
            // A signal interrupted the request, or O_NONBLOCK is set and the bytes are not in
            // memory.
            DispatchQueue.global().submit { [self] in
                note(request.performBlocking())
            }
        } else {
            note(result)
        }
    }

    private func note(_ result: Int32) {
        ended.store(Int(result), ordering: .releasing)
        transfer.wake()
    }
}
