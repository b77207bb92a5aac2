internal import LinuxPlatform

/// A task's wait until a descriptor is ready, for code that closes descriptors without telling
/// anybody.
///
/// A descriptor's `identity` tells whether its number names another file than before. A wait whose
/// file was closed never ends by itself: see `endIfClosed`. If the number names another file when
/// an event arrives, the wait ends without it.
package final class TaskWait: DescriptorWaiter, Sendable {
    package enum Outcome: Sendable {
        /// The poll(2) events that hold.
        case ready(UInt32)
        /// By `cancel`, or because the task was cancelled.
        case cancelled
        /// The descriptor was closed, or its number names another file.
        case closed
    }

    private enum Phase {
        case notBegun
        case waiting(UnsafeContinuation<Outcome, Never>)
        case over(Outcome)
    }

    private struct State {
        var phase = Phase.notBegun
        /// The descriptor's file, once `open` was called; nil if it is not open.
        var file: UInt64??
    }

    private let descriptor: Int32
    private let events: UInt32
    private let loop: EventLoop
    /// The caller's continuation is resumed by the thread that sets `over`.
    private let state = Locked(State())

    /// - Parameter events: the events to wait for; see `PollEvents`.
    package init(for events: UInt32, of descriptor: Int32) {
        self.descriptor = descriptor
        self.events = events
        // Always the same loop, which knows the descriptor's entry.
        loop = Runtime.shared.loop(number: Int(descriptor))
    }

    /// Finds out which file the descriptor names: that of the wait. Call it once others may call
    /// `endIfClosed`, so that either this call or theirs sees that the descriptor was closed.
    /// - Returns: nil if it is not open.
    package func open() -> UInt64? {
        state.withLock { state in
            let file = Descriptors.identity(descriptor)
            state.file = file
            return file
        }
    }

    /// Waits. Call it once, after `open`.
    /// - Parameter isFirst: whether it is the first wait for the file; the first one tells the
    ///   kernel about it.
    package func run(isFirst: Bool) async -> Outcome {
        await withTaskCancellationHandler {
            await withUnsafeContinuation { begin($0, isFirst) }
        } onCancel: {
            cancel()
        }
    }

    /// Ends the wait from any thread. The descriptor may be closed at once.
    package func cancel() { end(.cancelled) }

    /// Ends the wait if its file was closed.
    package func endIfClosed() {
        if isClosed { end(.closed) }
    }

    /// Ends the wait as if the file was closed, if it is a listening socket.
    package func endIfListening() {
        if Sockets.isListening(descriptor) { end(.closed) }
    }

    /// What `open` has returned.
    package var file: UInt64? { state.withLock { $0.file ?? nil } }

    private var isClosed: Bool {
        state.withLock { state in
            guard let file = state.file else { return false }
            return file == nil || Descriptors.identity(descriptor) != file
        }
    }

    private func begin(_ continuation: UnsafeContinuation<Outcome, Never>, _ isFirst: Bool) {
        let early: Outcome? = state.withLock { state in
            if case .over(let outcome) = state.phase { return outcome }
            state.phase = .waiting(continuation)
            return nil
        }
        if let early { return continuation.resume(returning: early) }
        let wait = DescriptorWait(for: events, by: self)
        if loop.begin(wait, for: descriptor, isFirst: isFirst) != 0 {
            finish(.closed)
        } else if isOver {
            // Ended before it had begun.
            loop.readiness.cancelWait(by: self, for: descriptor)
        }
    }

    private var isOver: Bool {
        state.withLock { state in
            if case .over = state.phase { true } else { false }
        }
    }

    private func end(_ outcome: Outcome) {
        loop.readiness.cancelWait(by: self, for: descriptor)
        finish(outcome)
    }

    private func finish(_ outcome: Outcome) {
        let waiting: UnsafeContinuation<Outcome, Never>? = state.withLock { state in
            let before = state.phase
            guard case .over = before else {
                state.phase = .over(outcome)
                if case .waiting(let continuation) = before { return continuation }
                return nil
            }
            return nil
        }
        waiting?.resume(returning: outcome)
    }

    // MARK: on the loop

    func waitEnded(_ events: UInt32, _ context: Context) {
        finish(isClosed ? .closed : .ready(events))
    }
}
