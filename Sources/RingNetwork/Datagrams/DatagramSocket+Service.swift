#if ServiceLifecycle
internal import RingDispatch
public import ServiceLifecycle

extension DatagramSocket {
    /// The socket as a service of ServiceLifecycle. Set the handlers first: running the service
    /// activates it.
    ///
    /// A graceful shutdown, or cancelling the task, closes the socket once the handler that runs
    /// has returned. Its answers are sent if the kernel has room.
    public func service() -> some Service { DatagramService(socket: self) }
}

/// Runs until a graceful shutdown, or until the task is cancelled.
private struct DatagramService: Service {
    let socket: DatagramSocket

    func run() async throws {
        socket.activate()
        do {
            try await gracefulShutdown()
        } catch {
            await close()
            throw error
        }
        await close()
    }

    private func close() async {
        await withCheckedContinuation { continuation in
            socket.queue.async { [socket] in
                socket.close()
                continuation.resume()
            }
        }
    }
}
#endif
