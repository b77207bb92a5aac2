import Glibc
import RingDispatch

/// Turns SIGINT and SIGTERM into `signal()` on a semaphore: blocked for every thread, and read from
/// a signalfd(2) by a read source.
final class ShutdownSignals {
    private let mask: sigset_t
    private let source: any DispatchSourceRead

    /// Blocks both signals. Call before any other thread exists: threads inherit the mask.
    static func block() -> sigset_t {
        var mask = sigset_t()
        sigemptyset(&mask)
        sigaddset(&mask, SIGINT)
        sigaddset(&mask, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &mask, nil)
        return mask
    }

    init(mask: sigset_t, signalling semaphore: DispatchSemaphore) throws {
        self.mask = mask
        let descriptor = try openSignalDescriptor(mask)
        let queue = DispatchQueue(label: "echo-server.signals")
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            if takeSignal(from: descriptor) { semaphore.signal() }
        }
        source.setCancelHandler { closeDescriptor(descriptor) }
        source.activate()
    }

    /// Gives the signals their default effect back: the next one ends the program.
    func restoreDefaults() {
        source.cancel()
        var mask = mask
        pthread_sigmask(SIG_UNBLOCK, &mask, nil)
    }
}
