internal import LinuxPlatform

/// One request of a transfer.
final class FilePiece: FileOperation, @unchecked Sendable {
    // Safety: the result is guarded by the transfer's lock, the rest is fixed before `start`.
    let transfer: FileTransfer
    let offset: Int64
    let size: Int
    /// Where a read's bytes go.
    let buffer: IOBuffer?
    /// The count of bytes, or a negated errno; nil while the request is out.
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
            // The descriptor has O_NONBLOCK set, and the bytes are not in memory; or a signal came.
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
