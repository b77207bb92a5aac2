internal import LinuxPlatform

/// Accepts connections until it is stopped, and passes each one to the client on the queue.
package final class StreamAcceptor: LoopStream, @unchecked Sendable {
    // Safety: see `LoopStream`.
    private unowned(unsafe) let client: any StreamAcceptorClient

    /// - Parameter descriptor: a listening socket with O_NONBLOCK set.
    package init(descriptor: Int32, queue: DispatchQueue, client: any StreamAcceptorClient) {
        self.client = client
        super.init(descriptor: descriptor, queue: queue)
    }

    override func begin(token: UInt64) { loop.accept(descriptor: descriptor, token: token) }

    override func received(_ completion: Completion, _ context: Context) {
        let descriptor = completion.result
        queue.submit { [self] in client.accepted(descriptor) }
    }

    override func ended(_ result: Int32) { client.acceptingEnded(result) }
}
