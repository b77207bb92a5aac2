/// Whom a receiver serves. It must live until `receivingEnded` was called.
package protocol StreamReceiverClient: AnyObject {
    /// Bytes came. On the queue; the memory is the client's only during the call.
    func received(_ bytes: UnsafeRawBufferPointer)

    /// Receiving is over: 0: the peer sends nothing more; else a negated errno, ECANCELED after
    /// `stop`. On the queue, behind all that came. The descriptor may be closed, unless something
    /// else is out on it.
    func receivingEnded(_ result: Int32)
}
