internal import LinuxPlatform

/// A part of a file that is to be sent. It has a descriptor of its own.
final class FileSlice {
    private let file: OwnedDescriptor
    private let offset: Int
    let count: Int
    private var isPrepared = false

    /// So much is handed to the kernel at a time.
    private static let sliceBytes = 256 * 1024

    init(adopting file: Int32, offset: Int, count: Int) {
        self.file = OwnedDescriptor(adopting: file)
        self.offset = offset
        self.count = count
    }

    /// The count of bytes that the socket took, or a negated errno; 0 when the file has ended.
    func send(to socket: Int32, from taken: Int) -> Int {
        if !isPrepared { Sockets.setNonBlocking(socket) }
        isPrepared = true
        return FileSlices.send(
            socket, file: file.number, offset: offset + taken,
            count: min(count - taken, FileSlice.sliceBytes))
    }

    /// Lends exactly so many bytes to the body, or tells why they are not to be had.
    func read(
        from taken: Int, count: Int, _ body: (UnsafeRawBufferPointer) -> Void
    ) -> SocketError? {
        withUnsafeTemporaryAllocation(byteCount: max(1, count), alignment: 16) { buffer in
            var filled = 0
            while filled < count {
                let result = FileSlices.read(
                    file.number,
                    into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled..<count]),
                    offset: offset + taken + filled)
                if result <= 0 { return error(result, taken: taken + filled) }
                filled += result
            }
            body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return nil
        }
    }

    /// What a call's result that is no count means.
    func error(_ result: Int, taken: Int) -> SocketError {
        if result == 0 {
            return SocketError(
                "sendfile", ErrorCode.noData,
                remedy: "the file ends \(count - taken) bytes before the end of what was to be "
                    + "sent: it was made shorter meanwhile, or the count is wrong")
        }
        let isForFiles = [ErrorCode.invalid, ErrorCode.cannotSeek].contains(Int32(-result))
        return SocketError(
            "sendfile", Int32(-result),
            remedy: isForFiles ? "only regular files can be sent: read others and send bytes" : "")
    }
}
