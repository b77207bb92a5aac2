/// The client of a receiver. It must live until `receivingEnded` is called.
package protocol StreamReceiverClient: AnyObject {
    /// Receives bytes, which are valid only during the call. On the queue.
    func received(_ bytes: UnsafeRawBufferPointer)

    /// The receiver has ended: 0 means that the peer sends nothing more; otherwise a negated errno,
    /// ECANCELED after `stop`. On the queue, after all bytes. The descriptor may be closed, unless
    /// another request on it is in flight.
    func receivingEnded(_ result: Int32)
}
