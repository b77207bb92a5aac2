internal import Glibc
internal import RingDispatch

/// The first SIGINT (Ctrl-C) or SIGTERM as a call. From then on they have their usual effect: the
/// second one ends the program at once.
package final class ShutdownSignals: Sendable {
    private let sources: [any DispatchSourceSignal]

    /// - Parameter onSignal: called once, on a queue of its own.
    package init(_ onSignal: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "shutdown-signals")
        let sources = [SIGINT, SIGTERM].map {
            DispatchSource.makeSignalSource(signal: $0, queue: queue)
        }
        self.sources = sources
        let once = DispatchOnce()
        for source in sources {
            source.setEventHandler {
                once.perform {
                    for source in sources { source.cancel() }
                    onSignal()
                }
            }
        }
        for source in sources { source.activate() }
    }
}
