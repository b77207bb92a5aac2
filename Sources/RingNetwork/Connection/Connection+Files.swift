internal import LinuxPlatform
internal import RingDispatch

extension Connection {
    /// Sends a part of a regular file, in its turn among the other sends. The bytes go from the
    /// file to the socket within the kernel (sendfile(2)), or are read and encrypted as the peer
    /// takes them. They count as unsent from the call on.
    ///
    /// A file that turns out to be shorter, or cannot be read, fails the connection and resets it:
    /// the peer was promised more.
    /// - Parameters:
    ///   - fileDescriptor: may be closed after the call; its position is neither used nor changed.
    ///   - completion: called once on the queue: with nil when the kernel has all bytes, or with
    ///     why it will not get them.
    public func send(
        fileDescriptor: Int32, offset: Int, count: Int,
        completion: ((SocketError?) -> Void)? = nil
    ) {
        guard offset >= 0, count >= 0 else {
            fatalMisuse(
                "send of a file on connection '\(queue.label)': offset \(offset), count \(count)")
        }
        let file = FileSlices.duplicate(fileDescriptor)
        let completion = completion.map { SendCompletion($0) }
        if file < 0 {
            // Nothing that comes later may be taken for the file's bytes.
            let error = SocketError("dup", -file, remedy: "see RLIMIT_NOFILE (ulimit -n)")
            onQueue { connection in
                connection.hop { _ in completion?.call(error) }
                connection.tearDown(.failed(error), aborts: true)
            }
            return
        }
        send(.file(FileSlice(adopting: file, offset: offset, count: count)), completion)
    }
}
