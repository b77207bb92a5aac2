internal import LinuxPlatform
internal import RingDispatch

/// A listening socket of a listener.
final class ListeningSocket: StreamAcceptorClient, Confining {
    let endpoint: Endpoint
    let descriptor: Int32
    let isUnix: Bool
    /// This side's endpoint of every connection; nil: connections differ, since the socket listens
    /// at all addresses, accepts for others (IP_TRANSPARENT), or was adopted.
    private let commonEndpoint: Endpoint?
    /// Of the queue of each connection, which shares the text's memory.
    let connectionLabel: String
    /// The socket's file, removed on close.
    private let file: UnixSocketFile?
    /// The state that belongs to the listener's queue.
    let store = Confined(State())

    struct State {
        /// Safety: an attached listener outlives its open sockets.
        fileprivate unowned(unsafe) var listener: Listener?
        fileprivate var acceptor: StreamAcceptor?
        fileprivate(set) var isClosed = false
    }

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
        let bound = SocketEndpoints.local(of: descriptor)
        self.endpoint = bound ?? endpoint
        connectionLabel = "connection of \(self.endpoint)"
        let isForMany =
            bound?.ipAddress?.isUnspecified == true || Sockets.isTransparent(descriptor)
        commonEndpoint = isForMany ? nil : bound
        isUnix = Sockets.isUnix(descriptor)
        file = endpoint.socketFile
    }

    /// Adopts a socket that was checked. Its file remains its maker's.
    init(adopting socket: InheritedSocket, _ options: ListenerOptions) {
        descriptor = socket.descriptor
        isUnix = Sockets.isUnix(descriptor)
        endpoint = socket.endpoint ?? .unix(UnixAddress(kernel: [], isAbstract: true))
        connectionLabel = "connection of \(endpoint)"
        commonEndpoint = nil
        file = nil
        Descriptors.closeOnExec(descriptor)
        Descriptors.setNonBlocking(descriptor)
        options.socket.apply(to: descriptor)
    }

    /// Another endpoint of the listener has failed, or the listener has closed the socket already.
    deinit { close() }

    var waitingCount: Int { confined.isClosed ? 0 : Sockets.backlogCount(of: descriptor) }

    // MARK: on the queue

    func attach(to listener: Listener) {
        confined.listener = listener
        confined.acceptor = StreamAcceptor(
            descriptor: descriptor, queue: listener.queue, client: self)
    }

    func start() {
        if !confined.isClosed { confined.acceptor?.resume() }
    }

    func stop() { confined.acceptor?.pause() }

    /// Closes the socket.
    func close() {
        guard !confined.isClosed else { return }
        confined.isClosed = true
        confined.acceptor?.end()
        Descriptors.close(descriptor)
        file?.remove()
    }

    // MARK: StreamAcceptorClient

    func accepted(_ descriptor: Int32, from peer: SocketAddress) {
        let endpoints = SocketEndpoints(
            local: commonEndpoint ?? SocketEndpoints.local(of: descriptor), remote: Endpoint(peer),
            isUnix: isUnix)
        confined.listener?.accepted(descriptor, endpoints, at: self)
    }

    func acceptingFailed(_ result: Int32) { confined.listener?.acceptFailed(-result, at: self) }
}
