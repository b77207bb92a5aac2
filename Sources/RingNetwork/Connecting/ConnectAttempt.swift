internal import LinuxPlatform
internal import RingDispatch

/// One connecting socket. Used only on the queue.
final class ConnectAttempt: Confining {
    let endpoint: Endpoint
    let descriptor: Int32
    private let address: SocketAddress
    private let queue: DispatchQueue
    private let completion: @Sendable (ConnectAttempt, SystemError?) -> Void
    /// The state that belongs to the queue.
    let store = Confined(State())

    struct State {
        fileprivate var wait: ReadinessWait?
        fileprivate var retry: DispatchScheduledItem?
        fileprivate var retryMilliseconds = 1
    }

    private static let longestRetryMilliseconds = 64

    /// - Parameter completion: called once on the queue, unless the attempt is cancelled. Then the
    ///   descriptor is the caller's, to use or to close.
    init(
        _ endpoint: Endpoint, _ address: SocketAddress, _ descriptor: Int32, queue: DispatchQueue,
        completion: @escaping @Sendable (ConnectAttempt, SystemError?) -> Void
    ) {
        self.endpoint = endpoint
        self.address = address
        self.descriptor = descriptor
        self.queue = queue
        self.completion = completion
    }

    func start(_ progress: ConnectingSocket.Progress) {
        switch progress {
        case .connected:
            completion(self, nil)
        case .pending:
            let wait = ReadinessWait(
                descriptor: descriptor, queue: queue, events: PollEvents.writable
            ) { [self] _ in
                becameReady()
            }
            confined.wait = wait
            wait.start()
        case .busy:
            confined.retry = queue.scheduleAfter(
                deadline: .now() + .milliseconds(confined.retryMilliseconds)
            ) { [self] in tryAgain() }
            confined.retryMilliseconds = min(
                2 * confined.retryMilliseconds, ConnectAttempt.longestRetryMilliseconds)
        }
    }

    /// Cancels an attempt whose completion was not called, and closes the descriptor.
    func cancel() {
        endWait()
        confined.retry?.cancel()
        Descriptors.close(descriptor)
    }

    private func endWait() {
        confined.wait?.cancel()
        confined.wait = nil
    }

    private func becameReady() {
        endWait()
        // Reading the error clears it.
        let code = Sockets.pendingError(of: descriptor)
        completion(self, code == 0 ? nil : SystemError(call: "connect", code: code))
    }

    private func tryAgain() {
        do throws(SystemError) {
            start(try Sockets.continueConnect(descriptor, to: address))
        } catch {
            completion(self, error)
        }
    }
}
