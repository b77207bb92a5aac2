internal import LinuxPlatform

/// A part of a file to send. Owns a duplicate of the program's descriptor.
final class FileSlice {
    private let file: OwnedDescriptor
    private let offset: Int
    let count: Int
    /// Why there is no duplicate. The slice fails when its turn comes.
    private let failure: SocketError?
    private var isPrepared = false

    /// Most bytes per sendfile(2).
    private static let sliceBytes = 256 * 1024
    /// No file is that long. A longer count could overflow the sum of what is unsent.
    private static let mostBytes = 1 << 56

    init(_ descriptor: Int32, offset: Int, count: Int) {
        let copy = Descriptors.duplicate(descriptor)
        file = OwnedDescriptor(adopting: max(copy, -1))
        self.offset = offset
        self.count = min(copy < 0 ? max(count, 1) : count, FileSlice.mostBytes)
        failure =
            copy >= 0
            ? nil
            : SocketError(
                "dup", -copy,
                remedy: ErrorCode.isDescriptorShortage(-copy)
                    ? ErrorCode.descriptorRemedy(-copy)
                    : "the file's descriptor must be open during the call")
    }

    /// The number of bytes that the socket took, or a negated errno; 0 at the end of the file.
    func send(to socket: Int32, from taken: Int) -> Int {
        if failure != nil { return Int(-ErrorCode.badDescriptor) }
        if !isPrepared { Descriptors.setNonBlocking(socket) }
        isPrepared = true
        return Sockets.send(
            socket, file: file.number, offset: offset + taken,
            count: min(count - taken, FileSlice.sliceBytes))
    }

    /// Calls `body` with exactly `count` bytes, or returns the error that prevented it.
    func read(
        from taken: Int, count: Int, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> SocketError? {
        if let failure { return failure }
        return withUnsafeTemporaryAllocation(byteCount: max(1, count), alignment: 16) { buffer in
            var filled = 0
            while filled < count {
                let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<count])
                let place = Int64(offset + taken + filled)
                let request = FileRequest(
                    .read(rest, offset: place), descriptor: file.number)
                let result = Int(request.performBlocking())
                if result <= 0 { return error(result, taken: taken + filled) }
                filled += result
            }
            body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return nil
        }
    }

    /// The error for a result that is not a positive count.
    func error(_ result: Int, taken: Int) -> SocketError {
        if let failure { return failure }
        if result == 0 {
            return SocketError(
                "sendfile", ErrorCode.noData,
                remedy: "the file ends \(count - taken) bytes too early: it was truncated "
                    + "meanwhile, or the count is wrong")
        }
        let isForFiles = [ErrorCode.invalid, ErrorCode.cannotSeek].contains(Int32(-result))
        return SocketError(
            "sendfile", Int32(-result),
            remedy: isForFiles ? "only regular files can be sent: read it and send bytes" : "")
    }
}
