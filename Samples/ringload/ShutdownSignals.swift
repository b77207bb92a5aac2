import Glibc
import RingDispatch

/// Turns SIGINT and SIGTERM into a call: blocked for every thread, and read from a signalfd(2) by a
/// read source. The second one ends the program at once.
final class ShutdownSignals: @unchecked Sendable {
    private let mask: sigset_t
    private let source: any DispatchSourceRead
    /// Confined to the source's queue.
    private var hasFired = false

    /// Blocks both signals. Call before any other thread exists: threads inherit the mask.
    static func block() -> sigset_t {
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGINT)
        sigaddset(&mask, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        return mask
    }

    /// - Parameter onSignal: called once, on a queue of its own.
    init(mask: sigset_t, onSignal: @escaping @Sendable () -> Void) throws {
        self.mask = mask
        let descriptor = try openSignalDescriptor(mask)
        let queue = DispatchQueue(label: "ringload.signals")
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [self] in
            guard takeSignal(from: descriptor) else { return }
            if hasFired { exit(130) }
            hasFired = true
            onSignal()
        }
        source.setCancelHandler { closeDescriptor(descriptor) }
        source.activate()
    }

    /// Gives the signals their default effect back.
    func restoreDefaults() {
        source.cancel()
        var mask = mask
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    }
}
