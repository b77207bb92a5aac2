// Handles signals on a queue, where any function is allowed: the usual shutdown of a server.
import Glibc
import RingDispatch

final class Shutdown: Sendable {
    private let sources: [any DispatchSourceSignal]

    init(on queue: DispatchQueue, begin: @escaping @Sendable (Int32) -> Void) {
        sources = [SIGTERM, SIGINT].map { number in
            // The source replaces the default action: you need not ignore the signal first.
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler { begin(number) }
            source.activate()
            return source
        }
    }
}

// snippet.hide
let queue = DispatchQueue(label: "shutdown")
let begun = DispatchSemaphore(value: 0)
let shutdown = Shutdown(on: queue) { number in
    dispatchPrecondition(condition: .onQueue(queue))
    precondition(number == SIGTERM)
    print("signal", number)
    begun.signal()
}
kill(getpid(), SIGTERM)
precondition(begun.wait(timeout: .now() + 30) == .success)
withExtendedLifetime(shutdown) {}
