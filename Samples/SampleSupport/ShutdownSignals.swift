internal import Glibc
internal import RingDispatch

/// Calls a handler at the first SIGINT (Ctrl-C) or SIGTERM. A second signal ends the program at
/// once, even as process 1 of a container, for which the kernel ignores the default action. But one
/// that follows immediately is part of the first: timeout(1) signals a process, then its group.
package final class ShutdownSignals: Sendable {
    private let sources: [any DispatchSourceSignal]
    private static let signals = [SIGINT, SIGTERM]
    /// For how long further signals count as the first one.
    private static let toleranceMilliseconds = 200

    /// - Parameter onSignal: called once, on a private queue.
    package init(_ onSignal: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "shutdown-signals")
        let sources = Self.signals.map {
            DispatchSource.makeSignalSource(signal: $0, queue: queue)
        }
        self.sources = sources
        let once = DispatchOnce()
        let isPatient = Locked(true)
        for (source, signal) in zip(sources, Self.signals) {
            source.setEventHandler {
                once.perform {
                    queue.asyncAfter(
                        deadline: .now() + .milliseconds(Self.toleranceMilliseconds)
                    ) {
                        isPatient.withLock { $0 = false }
                        // Process 1 keeps its sources: it would not receive unhandled signals.
                        if !FirstProcess.isThis { for source in sources { source.cancel() } }
                    }
                    onSignal()
                }
                if !isPatient.withLock({ $0 }) { FirstProcess.end(by: signal) }
            }
        }
        for source in sources { source.activate() }
    }
}
