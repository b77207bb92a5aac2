internal import LinuxPlatform
internal import RingDispatch

extension Connection {
    /// Sends a part of a regular file, in order with the other sends. The kernel moves the bytes
    /// from the file to the socket (sendfile(2)); a secured connection reads and encrypts them as
    /// the peer takes them. The bytes count as unsent from the call on.
    ///
    /// A file that is shorter than promised, or cannot be read, fails and resets the connection,
    /// because the peer could not tell the missing bytes from later ones.
    /// - Parameters:
    ///   - fileDescriptor: may be closed after the call; its position is neither used nor changed.
    ///   - offset: of the first byte in the file.
    ///   - count: in bytes, all of which the file must have.
    ///   - completion: called once on the queue: with nil when the kernel has taken all bytes, or
    ///     with the error that prevents it.
    public func send(
        fileDescriptor: Int32, offset: Int, count: Int,
        completion: sending ((SocketError?) -> Void)? = nil
    ) {
        guard offset >= 0, count >= 0 else {
            fatalMisuse(
                "send of a file on connection '\(queue.label)': offset \(offset), count \(count)")
        }
        send(
            .file(FileSlice(fileDescriptor, offset: offset, count: count)),
            completion.map { SendCompletion($0) })
    }
}
