internal import LinuxPlatform

/// One request of a file transfer.
final class FilePiece: FileOperation, @unchecked Sendable {
    // Safety: the transfer's lock guards the result; the rest is fixed before `start`.
    let transfer: FileTransfer
    let offset: Int64
    let size: Int
    /// The destination of a read.
    let buffer: IOBuffer?
    /// The number of bytes or a negated errno; nil while in flight.
    @exclusivity(unchecked) private(set) var result: Int?

    init(
        _ transfer: FileTransfer, _ kind: FileRequest.Kind, offset: Int64, size: Int,
        buffer: IOBuffer? = nil
    ) {
        self.transfer = transfer
        self.offset = offset
        self.size = size
        self.buffer = buffer
        super.init(FileRequest(kind, descriptor: transfer.descriptor.number))
    }

    override func completed(result: Int32, _ context: Context) {
        if result == -ErrorCode.tryAgain || result == -ErrorCode.interrupted {
            // A signal interrupted the request, or O_NONBLOCK is set and the bytes are not in
            // memory.
            DispatchQueue.global().submit { [self] in
                note(request.performBlocking(), Context.current)
            }
        } else {
            note(result, context)
        }
    }

    private func note(_ result: Int32, _ context: Context) {
        transfer.wake(context) { self.result = Int(result) }
    }
}
