internal import LinuxPlatform
public import RingDispatch

extension Listener {
    /// Accepts from sockets that listen already, and belong to the listener from here on: those
    /// that ``InheritedSocket/all(unsetsVariables:)`` finds, for instance. They are set O_NONBLOCK
    /// and close-on-exec. A Unix socket's file stays when the listener stops.
    ///
    /// - Parameters:
    ///   - sockets: one at least. When one cannot be used, all stay the caller's.
    ///   - options: those for making a socket that listens, such as the backlog, have no effect.
    ///   - target: the target of the listener's queue.
    public convenience init(
        adopting sockets: [InheritedSocket], options: ListenerOptions = ListenerOptions(),
        target: DispatchQueue? = nil
    ) throws(InheritedSocketError) {
        guard !sockets.isEmpty else { fatalMisuse("a Listener that adopts no socket") }
        for socket in sockets { try socket.check() }
        var adopted: [ListeningSocket] = []
        for socket in sockets { adopted.append(try ListeningSocket(adopting: socket, options)) }
        self.init(adopted, options, target)
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
