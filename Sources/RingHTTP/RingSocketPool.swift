#if FlyingFox
public import FlyingSocks
internal import Foundation
internal import LinuxPlatform
internal import RingDispatch

/// Lets FlyingFox's sockets wait on RingDispatch's event loops.
///
/// Pass `.ring` where FlyingFox takes a pool:
///
/// ```swift
/// let server = HTTPServer(address: .inet(port: 8080), pool: .ring)
/// ```
///
/// Each wait is a one-shot request to the event loop that the descriptor's number selects. The
/// sockets' tasks run where Swift runs them; after `RingConcurrency.install()` that is the same
/// loop, and handlers may block.
public final class RingSocketPool: AsyncSocketPool {
    private enum Accepting { case on, ending, ended }

    private struct State {
        /// Between the calls of `run` and its end.
        var isRunning = false
        var isOver = false
        /// `prepare` was called, now or earlier.
        var wasPrepared = false
        /// See `endAccepting`.
        var accepting = Accepting.on
        /// The waits in progress.
        var waits: [ObjectIdentifier: TaskWait] = [:]
        /// The files of descriptors that the kernel has reported as ready. FlyingFox closes sockets
        /// without telling the pool, so the number may name another file by now.
        var files: [Int32: UInt64] = [:]
    }

    private let state = Locked(State())

    /// Creates a pool for one server, to stop it with `stop(on:drainTime:)`. Otherwise `.ring` will
    /// do. Any number of clients may use the pool, too.
    public init() {}

    /// Makes the pool usable again after an earlier `run` has ended.
    /// - Throws: an error if a `run` has not ended: each server needs a pool of its own.
    public func prepare() async throws {
        let isFree = state.withLock { state in
            if state.isRunning { return false }
            (state.isOver, state.accepting, state.wasPrepared) = (false, .on, true)
            return true
        }
        if !isFree { throw PoolHasServer() }
    }

    /// Waits until the task is cancelled. The event loops need no call of it.
    /// - Throws: `CancellationError` at the end; all waits then throw it, too. Another error if an
    ///   earlier `run` has not ended.
    public func run() async throws {
        let isFree = state.withLock { state in
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if !isFree { throw PoolHasServer() }
        defer { end() }
        // Ends with the task only.
        for await _ in AsyncStream(Never.self, { _ in }) {}
        throw CancellationError()
    }

    /// Returns when one of the events holds.
    /// - Throws: `CancellationError` if the task is cancelled or `run` has ended; FlyingFox's
    ///   `SocketError.disconnected` if the socket has an error or was closed.
    public func suspendSocket(
        _ socket: Socket, untilReadyFor events: Socket.Events
    ) async throws {
        var wanted: UInt32 = 0
        if events.contains(.read) { wanted |= PollEvents.readable }
        if events.contains(.write) { wanted |= PollEvents.writable }
        let descriptor = socket.file.rawValue
        let wait = TaskWait(for: wanted, of: descriptor)
        guard let (isFirst, accepts) = add(wait, descriptor) else { throw CancellationError() }
        // FlyingFox sends a response in two pieces. With Nagle's algorithm, the second one waits
        // for the client's delayed acknowledgement, up to 40 ms. Accepted sockets inherit it.
        if isFirst { Sockets.setNoDelay(descriptor) }
        if !accepts { wait.endIfListening() }
        let outcome = await wait.run(isFirst: isFirst)
        remove(wait, descriptor, outcome)
        switch outcome {
        case .ready(let events) where events & wanted != 0: return
        case .ready, .closed: throw SocketError.disconnected
        case .cancelled: throw CancellationError()
        }
    }

    /// Ends the waits of sockets that were closed meanwhile, with `SocketError.disconnected`.
    ///
    /// The kernel reports nothing when a program closes its own socket. So after `stop(timeout:)`,
    /// which closes the listening socket, a FlyingFox server waits for that socket until the
    /// time-out. With this call it returns as soon as its connections are done.
    public func endWaitsOfClosedSockets() {
        let waits = state.withLock { Array($0.waits.values) }
        for wait in waits { wait.endIfClosed() }
    }

    /// Ends the waits of listening sockets, also later ones, with `SocketError.disconnected`: the
    /// regular end of FlyingFox's loop that accepts clients.
    func endAccepting() {
        let waits = state.withLock { state in
            state.accepting = .ending
            return Array(state.waits.values)
        }
        for wait in waits { wait.endIfListening() }
    }

    /// Whether a server has prepared the pool: it does so before it listens.
    var wasPrepared: Bool { state.withLock { $0.wasPrepared } }

    /// Whether `endAccepting` was called since `prepare`.
    var isEndingAccepting: Bool { state.withLock { $0.accepting != .on } }

    /// Whether a wait has ended because of `endAccepting`.
    var hasEndedAccepting: Bool { state.withLock { $0.accepting == .ended } }

    /// Waits in progress.
    package var waitCount: Int { state.withLock { $0.waits.count } }

    /// Returns whether it is the first wait for the file, and whether clients are accepted; nil if
    /// the pool's run has ended.
    private func add(_ wait: TaskWait, _ descriptor: Int32) -> (Bool, Bool)? {
        state.withLock { state -> (Bool, Bool)? in
            if state.isOver { return nil }
            state.waits[ObjectIdentifier(wait)] = wait
            // After the wait is listed: see `endWaitsOfClosedSockets`.
            let file = wait.open()
            return (file == nil || state.files[descriptor] != file, state.accepting == .on)
        }
    }

    private func remove(_ wait: TaskWait, _ descriptor: Int32, _ outcome: TaskWait.Outcome) {
        state.withLock { state in
            state.waits[ObjectIdentifier(wait)] = nil
            // Only now is it certain that the kernel knows this file.
            if case .ready = outcome { state.files[descriptor] = wait.file }
            if case .closed = outcome, state.accepting == .ending, Sockets.isListening(descriptor) {
                state.accepting = .ended
            }
        }
    }

    private func end() {
        let waits = state.withLock { state in
            (state.isRunning, state.isOver) = (false, true)
            return Array(state.waits.values)
        }
        for wait in waits { wait.cancel() }
    }
}

/// The error of a second server on a pool.
private struct PoolHasServer: LocalizedError {
    var errorDescription: String? { "a RingSocketPool serves one server: make another one" }
}

extension AsyncSocketPool where Self == RingSocketPool {
    /// A new pool on RingDispatch's event loops.
    public static var ring: RingSocketPool { RingSocketPool() }
}
#endif
