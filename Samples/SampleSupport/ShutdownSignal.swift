internal import Glibc
internal import RingDispatch

/// Calls a handler at the first SIGINT (Ctrl-C) or SIGTERM. A second signal ends the program at
/// once, even as process 1 of a container, for which the kernel ignores the default action. But one
/// that follows immediately is part of the first: timeout(1) signals a process, then its group.
/// - Parameter onSignal: called once, on a private queue.
package func onShutdownSignal(_ onSignal: @escaping @Sendable () -> Void) {
    let queue = DispatchQueue(label: "shutdown-signals")
    let signals = [SIGINT, SIGTERM]
    let sources = signals.map { DispatchSource.makeSignalSource(signal: $0, queue: queue) }
    let once = DispatchOnce()
    let isPatient = Locked(true)
    for (source, signal) in zip(sources, signals) {
        source.setEventHandler {
            once.perform {
                queue.asyncAfter(deadline: .now() + .milliseconds(toleranceMilliseconds)) {
                    isPatient.withLock { $0 = false }
                    // Process 1 keeps its sources: it would not receive unhandled signals.
                    // Until they are cancelled, their handlers keep them alive.
                    if !FirstProcess.isThis { for source in sources { source.cancel() } }
                }
                onSignal()
            }
            if !isPatient.withLock({ $0 }) { FirstProcess.end(by: signal) }
        }
    }
    FirstProcess.endBySignals(false)
    for source in sources { source.activate() }
}

/// For how long further signals count as the first one.
private let toleranceMilliseconds = 200
