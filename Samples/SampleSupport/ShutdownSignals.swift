internal import Glibc
internal import RingDispatch

/// The first SIGINT (Ctrl-C) or SIGTERM as a call. From then on they have their usual effect: the
/// second one ends the program at once, even where it is the first process of a container, for
/// which their usual effect is none.
package final class ShutdownSignals: Sendable {
    private let sources: [any DispatchSourceSignal]
    private static let signals = [SIGINT, SIGTERM]

    /// - Parameter onSignal: called once, on a queue of its own.
    package init(_ onSignal: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "shutdown-signals")
        let sources = Self.signals.map {
            DispatchSource.makeSignalSource(signal: $0, queue: queue)
        }
        self.sources = sources
        let once = DispatchOnce()
        for (source, signal) in zip(sources, Self.signals) {
            source.setEventHandler {
                var isFirst = false
                once.perform {
                    isFirst = true
                    // What the first process does not handle, it does not even get.
                    if !FirstProcess.isThis { for source in sources { source.cancel() } }
                    onSignal()
                }
                if !isFirst { FirstProcess.end(by: signal) }
            }
        }
        for source in sources { source.activate() }
    }
}
