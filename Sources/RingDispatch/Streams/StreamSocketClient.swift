/// The client of a stream. It must live until the stream has ended (`DescriptorWatch.end`).
package protocol StreamSocketClient: AnyObject {
    /// Receives bytes, which are valid only during the call. On the queue.
    func received(_ bytes: UnsafeRawBufferPointer)

    /// Bytes, the end or an error may be waiting, for a stream that announces. On the queue.
    func becameReadable()

    /// Nothing more is received: 0 means that the peer sends nothing more; otherwise a negated
    /// errno. On the queue, after all bytes.
    func receivingEnded(_ result: Int32)

    /// The socket has room for bytes after `waitUntilWritable`, or a send would report an error. On
    /// the queue.
    func becameWritable()

    /// The kernel refuses to watch the socket, with an errno: nothing more is reported. On the
    /// queue.
    func watchingFailed(_ code: Int32)

    /// The kernel has not taken all bytes of a batch: call `settleSends`, and send the rest when
    /// there is room. On the queue.
    func sendFailed()
}
