/// Whom an acceptor serves. It must live until `acceptingEnded` was called.
package protocol StreamAcceptorClient: AnyObject {
    /// A connection's descriptor, which is the client's from here on. On the queue.
    func accepted(_ descriptor: Int32)

    /// Accepting is over: a negated errno, ECANCELED after `stop`. On the queue.
    func acceptingEnded(_ result: Int32)
}
