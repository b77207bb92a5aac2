internal import LinuxPlatform
internal import RingDispatch

/// A listening socket of a listener, with the request that accepts from it.
final class ListeningSocket: StreamAcceptorClient, @unchecked Sendable {
    // Safety: mutable state belongs to the listener's queue.
    let endpoint: Endpoint
    let descriptor: Int32
    let isUnix: Bool
    /// The socket's file, removed on close.
    private let file: UnixSocketFile?
    /// Safety: an attached listener outlives its open sockets.
    private unowned(unsafe) var listener: Listener?
    /// Accepts all connections, on its event loop.
    private var acceptor: StreamAcceptor?
    /// Reports waiting connections, for accepting one by one.
    private var registration: ReadinessRegistration?
    private var isWanted = false
    private var isClosing = false
    private(set) var isClosed = false

    /// Makes the socket and starts listening.
    init(_ endpoint: Endpoint, _ options: ListenerOptions) throws {
        var settings = ListeningSettings()
        if let backlog = options.backlog { settings.backlog = Int32(clamping: backlog) }
        settings.reusesAddress = options.reusesAddress
        settings.reusesPort = options.reusesPort
        settings.isIPv6Only = options.isIPv6Only
        settings.unixMode = options.unixSocketMode
        settings.replacesStaleUnixSocket = options.replacesStaleUnixSocket
        settings.prepare = options.socket.apply
        let address = try endpoint.socketAddress()
        do throws(SystemError) {
            descriptor = try Sockets.listen(at: address, settings)
        } catch {
            throw ListenerError(endpoint, error)
        }
        self.endpoint = Sockets.localAddress(of: descriptor).flatMap { Endpoint($0) } ?? endpoint
        isUnix = Sockets.isUnix(descriptor)
        if case .unix(let address) = endpoint, !address.isAbstract {
            file = UnixSocketFile(address.bytes)
        } else {
            file = nil
        }
    }

    /// Adopts a socket that already listens. Its file remains its maker's.
    init(
        adopting socket: InheritedSocket, _ options: ListenerOptions
    ) throws(InheritedSocketError) {
        try socket.check()
        descriptor = socket.descriptor
        isUnix = Sockets.isUnix(descriptor)
        endpoint = socket.endpoint ?? .unix(UnixAddress(kernel: [], isAbstract: true))
        file = nil
        InheritedDescriptor.closeOnExec(descriptor)
        Sockets.setNonBlocking(descriptor)
        options.socket.apply(to: descriptor)
    }

    var waitingCount: Int { isClosed ? 0 : Sockets.backlogCount(of: descriptor) }

    // MARK: on the queue

    func attach(to listener: Listener) {
        self.listener = listener
        if listener.acceptsInSteps {
            registration = ReadinessRegistration(
                descriptor: descriptor, queue: listener.queue, events: PollEvents.readable
            ) { [unowned self] in becameReady($0) }
        } else {
            acceptor = StreamAcceptor(
                descriptor: descriptor, queue: listener.queue, client: self)
        }
    }

    func start() {
        guard !isClosing else { return }
        isWanted = true
        acceptor?.start()
        registration?.start()
    }

    func stop() {
        isWanted = false
        acceptor?.stop()
        registration?.cancel()
    }

    /// Closes the socket once no request is in flight, and notifies the listener.
    func close() {
        guard !isClosing else { return }
        isClosing = true
        stop()
        if acceptor?.isRunning ?? false || registration?.isWaiting ?? false { return }
        release()
    }

    private func release() {
        isClosed = true
        Sockets.close(descriptor)
        file?.remove()
        listener?.finishIfClosed()
    }

    // MARK: in steps

    /// Most connections accepted at once before other work on the queue gets its turn.
    private static let mostInARow = 16

    private func becameReady(_ events: Int32) {
        if isClosing { return release() }
        guard isWanted else { return }
        if events >= 0 {
            accept()
        } else if events != FileRequest.cancelled {
            listener?.acceptFailed(-events, at: self)
        }
        if isWanted { registration?.start() }
    }

    private func accept() {
        for _ in 0..<ListeningSocket.mostInARow where isWanted {
            let result = Sockets.accept(descriptor)
            if result >= 0 {
                listener?.accepted(result, at: self)
            } else if result == -ErrorCode.tryAgain {
                return
            } else if result != -ErrorCode.interrupted {
                listener?.acceptFailed(-result, at: self)
                return
            }
        }
    }

    // MARK: StreamAcceptorClient

    func accepted(_ descriptor: Int32) {
        if isClosing { return Sockets.close(descriptor) }
        listener?.accepted(descriptor, at: self)
    }

    func acceptingEnded(_ result: Int32) {
        if isClosing { return release() }
        if result != FileRequest.cancelled { listener?.acceptFailed(-result, at: self) }
    }
}
