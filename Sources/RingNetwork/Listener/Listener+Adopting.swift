internal import LinuxPlatform
public import RingDispatch

extension Listener {
    /// Accepts from sockets that already listen, such as those of
    /// ``InheritedSocket/all(unsetsVariables:)``. The listener owns them from now on, and sets them
    /// O_NONBLOCK and close-on-exec. It does not remove the file of an adopted Unix socket.
    ///
    /// - Parameters:
    ///   - sockets: at least one. If one cannot be used, all remain the caller's.
    ///   - options: options for making a listening socket, such as the backlog, have no effect.
    ///   - target: the target of the listener's queue.
    /// - Throws: ``InheritedSocketError``, if a socket cannot be used.
    public convenience init(
        adopting sockets: [InheritedSocket], options: ListenerOptions = ListenerOptions(),
        target: DispatchQueue? = nil
    ) throws {
        guard !sockets.isEmpty else { fatalMisuse("a Listener that adopts no socket") }
        for socket in sockets { try socket.check() }
        self.init(sockets.map { ListeningSocket(adopting: $0, options) }, options, target)
    }

    /// Accepts from a socket that already listens.
    /// - Throws: ``InheritedSocketError``, if it cannot be used.
    public convenience init(
        adopting descriptor: Int32, options: ListenerOptions = ListenerOptions(),
        target: DispatchQueue? = nil
    ) throws {
        try self.init(
            adopting: [InheritedSocket(descriptor: descriptor)], options: options, target: target)
    }
}
