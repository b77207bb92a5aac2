/// The client of an acceptor. It must live until `acceptingEnded` is called.
package protocol StreamAcceptorClient: AnyObject {
    /// Receives the descriptor of a new connection, and owns it. On the queue.
    func accepted(_ descriptor: Int32)

    /// The acceptor has ended with a negated errno, ECANCELED after `stop`. On the queue.
    func acceptingEnded(_ result: Int32)
}
