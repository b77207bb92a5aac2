package import LinuxPlatform

/// The client of an acceptor. It must live until the acceptor has ended (`DescriptorWatch.end`).
package protocol StreamAcceptorClient: AnyObject {
    /// Receives the descriptor of a new connection, and owns it. On the queue.
    /// - Parameter peer: the address of its other end.
    func accepted(_ descriptor: Int32, from peer: SocketAddress)

    /// Accepting has paused after an error, a negated errno. On the queue.
    func acceptingFailed(_ result: Int32)
}
