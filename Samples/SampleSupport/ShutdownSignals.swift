internal import Glibc
internal import RingDispatch

/// Calls a handler at the first SIGINT (Ctrl-C) or SIGTERM. A second signal ends the program at
/// once, even as process 1 of a container, for which the kernel ignores the default action.
package final class ShutdownSignals: Sendable {
    private let sources: [any DispatchSourceSignal]
    private static let signals = [SIGINT, SIGTERM]

    /// - Parameter onSignal: called once, on a private queue.
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
                    // Process 1 keeps its sources: it would not receive unhandled signals.
                    if !FirstProcess.isThis { for source in sources { source.cancel() } }
                    onSignal()
                }
                if !isFirst { FirstProcess.end(by: signal) }
            }
        }
        for source in sources { source.activate() }
    }
}
