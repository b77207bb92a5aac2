import RingDispatch

/// Accepts connections and survives running out of descriptors. Confined to `queue`.
final class Listener: @unchecked Sendable {
    /// The waiting time after the first refused accept, doubled at each further one.
    private static let shortestPauseMilliseconds = 10
    private static let longestPauseMilliseconds = 1000
    /// Connections turned away at one attempt, before the queue gets a rest.
    private static let refusalsPerAttempt = 256

    private let socket: Int32
    private let queue: DispatchQueue
    private let source: any DispatchSourceRead
    /// Runs while accepting is paused: resumes `source`. Suspended otherwise.
    private let pauseTimer: any DispatchSourceTimer
    private let onConnection: (Int32) -> Void

    /// A descriptor kept back, so that waiting clients can be turned away when there are no others:
    /// an unanswered client hangs, a refused one knows.
    private var reserve: ReserveDescriptor
    private var pauseMilliseconds = shortestPauseMilliseconds
    private var isPaused = false
    private var hasReportedShortage = false
    /// Connections that were closed right after accept.
    private(set) var refused = 0
    private var onStopped: () -> Void = {}
    private var sourcesLeft = 2

    /// - Parameter onConnection: takes over each accepted descriptor; runs on `queue`.
    init(
        socket: Int32, queue: DispatchQueue, onConnection: @escaping (Int32) -> Void
    ) throws {
        self.socket = socket
        self.queue = queue
        self.onConnection = onConnection
        reserve = try ReserveDescriptor()
        source = DispatchSource.makeReadSource(fileDescriptor: socket, queue: queue)
        pauseTimer = DispatchSource.makeTimerSource(queue: queue)
    }

    func start() {
        source.setEventHandler { self.acceptAll() }
        source.setCancelHandler {
            closeDescriptor(self.socket)
            self.sourceEnded()
        }
        source.activate()
        pauseTimer.setEventHandler { self.resumeAccepting() }
        pauseTimer.setCancelHandler { self.sourceEnded() }
        pauseTimer.activate()
    }

    /// Stops accepting; `onStopped` runs on `queue` once the socket is closed. Call on `queue`.
    func stop(onStopped: @escaping () -> Void) {
        self.onStopped = onStopped
        source.cancel()
        pauseTimer.cancel()
        // The cancel handler of a suspended source does not run.
        if isPaused { source.resume() }
    }

    private func sourceEnded() {
        sourcesLeft -= 1
        guard sourcesLeft == 0 else { return }
        reserve.close()
        onStopped()
    }

    /// Accepts until nobody waits.
    private func acceptAll() {
        while true {
            switch acceptConnection(socket) {
            case .accepted(let descriptor):
                pauseMilliseconds = Self.shortestPauseMilliseconds
                onConnection(descriptor)
            case .nobodyWaits:
                return
            case .noDescriptors(let reason):
                // accept(2) says so before it looks whether anybody waits.
                guard turnAway() > 0 || reserve.isLost else { return }
                reportShortage(reason)
                return pause()
            case .failed(let reason):
                // Memory for sockets is short: what waits may be accepted a little later.
                reportShortage(reason)
                return pause()
            }
        }
    }

    /// Refuses those who wait; returns how many they were.
    private func turnAway() -> Int {
        let before = refused
        while refused - before < Self.refusalsPerAttempt, reserve.spend(toRefuseOn: socket) {
            refused += 1
        }
        return refused - before
    }

    private func pause() {
        isPaused = true
        source.suspend()
        pauseTimer.schedule(deadline: .now() + .milliseconds(pauseMilliseconds))
        pauseMilliseconds = min(2 * pauseMilliseconds, Self.longestPauseMilliseconds)
    }

    private func resumeAccepting() {
        guard isPaused, !source.isCancelled else { return }
        isPaused = false
        source.resume()
    }

    /// One line for the first shortage; the summary has the number of those refused.
    private func reportShortage(_ reason: String) {
        guard !hasReportedShortage else { return }
        hasReportedShortage = true
        writeErrorLine(
            "cannot accept (\(reason)): pausing and refusing clients until others leave. "
                + "Remedy: a higher ulimit -n than \(descriptorLimit()) before the start")
    }
}
