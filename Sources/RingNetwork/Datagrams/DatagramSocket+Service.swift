#if ServiceLifecycle
internal import RingDispatch
public import ServiceLifecycle

extension DatagramSocket {
    /// The socket as a service of ServiceLifecycle. Set the handlers first: running the service
    /// activates it.
    ///
    /// A graceful shutdown, or cancelling the task, closes the socket once the handler that runs
    /// has returned. Its answers are sent if the kernel has room.
    public func service() -> some Service {
        ActivatedService(activate: activate) { [self] _ in await result { $0.close() } }
    }
}
#endif
