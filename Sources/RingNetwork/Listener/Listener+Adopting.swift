internal import Ring
public import RingDispatch

extension Listener {
    /// Accepts from sockets that listen already, and belong to the listener from here on: those
    /// that ``InheritedSocket/all(unsetsVariables:)`` finds, for instance. They are set O_NONBLOCK
    /// and close-on-exec. A Unix socket's file stays when the listener stops.
    ///
    /// - Parameters:
    ///   - sockets: one at least. When one cannot be used, all stay the caller's.
    ///   - options: those that come to bear on a socket that listens already do not matter.
    ///   - target: the target of the listener's queue.
    public convenience init(
        adopting sockets: [InheritedSocket], options: ListenerOptions = ListenerOptions(),
        target: DispatchQueue? = nil
    ) throws(InheritedSocketError) {
        guard !sockets.isEmpty else { fatalMisuse("a Listener that adopts no socket") }
        for socket in sockets { try socket.check() }
        var points: [ListeningPoint] = []
        for socket in sockets { points.append(try ListeningPoint(adopting: socket, options)) }
        self.init(points, options, target)
    }

    /// Accepts from a socket that listens already.
    public convenience init(
        adopting descriptor: Int32, options: ListenerOptions = ListenerOptions(),
        target: DispatchQueue? = nil
    ) throws(InheritedSocketError) {
        try self.init(
            adopting: [InheritedSocket(descriptor: descriptor)], options: options, target: target)
    }
}
