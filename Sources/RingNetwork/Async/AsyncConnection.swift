internal import LinuxPlatform
internal import RingDispatch
internal import Synchronization

/// A connection as a task uses it: it waits for bytes instead of setting handlers.
///
/// You get one for the duration of a closure, from ``Listener/run(_:)``,
/// ``Connector/withConnection(to:isolation:_:)`` or ``Connection/run(isolation:_:)``. The closure
/// runs on the connection's queue, unless it belongs to an actor. It may block like a handler; its
/// own connection then neither sends nor receives. Returning closes the connection in order: what
/// is unsent is sent first. Throwing an error, or cancelling the task, resets it.
///
/// Nothing is received while no task waits for bytes: flow control then stops the peer. So a task
/// that does something else holds at most the bytes that one receive returned beyond what was
/// asked for, 64 KiB (80 under TLS).
///
/// The methods may be called by any task and wait, where they wait, without a thread. One task at a
/// time may receive; several may send.
public final class AsyncConnection: Confining {
    /// The connection. Its handlers belong to this object: do not set any. Everything else may be
    /// used, such as `send` in the closure of ``receive(_:)``, `remoteEndpoint`, or `setTimeouts`.
    ///
    /// Members that are "on the queue", such as `state`, may be used directly only in a closure
    /// that belongs to no actor, and so not to the main actor either: elsewhere they end the
    /// process.
    public let connection: Connection
    let executor: QueueExecutor
    /// The state that belongs to the connection's queue; before `activate`, to the maker.
    let store = Confined(State())

    struct State {
        // What each wait for bytes uses is in one or two cache lines.

        /// Received bytes, of which `taken` are used up.
        var buffer: [UInt8] = []
        var taken = 0
        /// All bytes that were ever taken from the buffer.
        var takenBytes: UInt64 = 0
        /// The task that waits for bytes. While it does, receiving is not paused.
        var receiver: UnsafeContinuation<Void, Never>?
        /// How the wait ended: whether there may be bytes.
        var outcome: Result<Bool, any Error> = .success(false)
        /// Whether a shutdown ends the wait.
        var isIdle = false
        /// The time of the operation has passed.
        var isLate = false
        /// The peer has ended its stream.
        var hasEnded = false
        /// The owner was cancelled before its end.
        var wasCancelled = false
        var willCheckAgain = false
        /// The task that runs the closure, whose cancellation needs no handler at each wait.
        var owner = TaskIdentity.none
        /// The number of the present or last wait for bytes; 0: the owner's.
        var receiverNumber: UInt64 = 0

        /// The number of the last wait of a task that is not the owner.
        var number: UInt64 = 0
        /// Tasks that wait until the connection is writable, with the numbers of their waits.
        var senders: [(number: UInt64, continuation: UnsafeContinuation<Void, Never>)] = []
        /// The task that waits for the end.
        var closer: UnsafeContinuation<Void, Never>?
    }

    // Set (releasing) on the queue, read (acquiring) by any thread.
    let hasShutDown = Atomic<Bool>(false)

    /// - Parameter connection: not activated.
    package init(_ connection: Connection) {
        self.connection = connection
        executor = QueueExecutor(connection.queue)
    }

    /// Called once, by the maker, before anybody else has the connection.
    package func activate() {
        connection.setReceiveHandler { [self] _, bytes in received(bytes) }
        connection.setEndHandler { [self] _ in end() }
        connection.setWritableHandler { [self] _ in resumeSenders() }
        connection.setDrainHandler { [self] _ in drain() }
        connection.setCloseHandler { [self] _, reason in closed(reason) }
        connection.confined.isAwaited = true
        connection.pauseReceiving()
        connection.activate()
    }

    /// Whether the listener shuts down: ``Listener/shutdown(deadline:completion:)``. Finish what
    /// is under way, and return. Waits for the beginning of a message then end as if the peer had
    /// ended its stream. From any thread.
    public var isShuttingDown: Bool { hasShutDown.load(ordering: .acquiring) }

    /// A task that is on the queue, also after its next wait.
    enum Caller {
        /// The task that runs the closure.
        case owner
        case other
    }

    /// The calling task; nil: it belongs to an actor, or is not on the queue. To ask for the
    /// owner's preference, too, would cost 5 % of an echo server's time.
    func caller(_ isolation: (any Actor)? = #isolation) -> Caller? {
        // `isCurrent` asks for the queue: the connection's setup is over.
        guard isolation == nil, connection.isCurrent else { return nil }
        if confined.owner == .current { return .owner }
        return executor.isCurrent ? .other : nil
    }

    /// Runs a call of a caller that is elsewhere on the queue.
    @concurrent
    func call<Result: Sendable>(
        _ body: @Sendable (AsyncConnection) async throws -> Result
    ) async rethrows -> Result {
        try await withTaskExecutorPreference(executor) { try await body(self) }
    }

    /// Whether the task of the whole connection is cancelled.
    var isCancelled: Bool { confined.wasCancelled || confined.owner.isCancelled }

    /// Why nothing can be received; nil: it can.
    var failure: (any Error)? {
        if isCancelled { return CancellationError() }
        if let reason = connection.reason { return ReceiveError.closed(reason) }
        return nil
    }

    // MARK: handlers

    private func drain() {
        hasShutDown.store(true, ordering: .releasing)
        endIdleWait()
    }

    /// Ends a wait between messages, if there is one and no bytes have arrived. Otherwise checks
    /// again: they may be too few, or not even a byte of plaintext.
    func endIdleWait() {
        guard confined.isIdle, !confined.willCheckAgain else { return }
        if !connection.hasWaitingBytes { return endWait(.success(false)) }
        confined.willCheckAgain = true
        connection.queue.asyncAfter(deadline: .now() + .milliseconds(10)) { [self] in
            confined.willCheckAgain = false
            endIdleWait()
        }
    }

    private func closed(_ reason: CloseReason) {
        endWait(.failure(failure ?? ReceiveError.closed(reason)))
        resumeSenders()
        confined.closer.take()?.resume()
    }
}
