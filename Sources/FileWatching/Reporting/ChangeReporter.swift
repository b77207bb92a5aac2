internal import LinuxPlatform
internal import RingDispatch

/// Delivers an engine's changes and errors to the handlers and sequences: coalesced within the
/// window, in order, and numbered.
///
/// `add` and `publish` are confined to the engine's queue.
final class ChangeReporter: @unchecked Sendable {
    // Safety: `merging` and `confined` are confined to the engine's queue; the rest is immutable or
    // guarded by the lock of `outbox`.
    private let merging = Coalescer()
    @exclusivity(unchecked) var confined = State()

    /// The state that belongs to the engine's queue; see `WatchEngine`.
    struct State {
        fileprivate var ready: [FileChange] = []
        fileprivate var isTimed = false
        fileprivate var sequence: UInt64 = 0
    }

    private let window: DispatchTimeInterval
    private let engineQueue: DispatchQueue
    /// The queue for handlers. It is serial, whatever the user's queue is.
    let queue: DispatchQueue
    private let outbox = Locked(Outbox())

    fileprivate struct Outbox {
        /// Nil: none is called any more.
        var handlers: Handlers? = Handlers()
        var changes: [FileChange] = []
        var isScheduled = false
        var isCancelled = false
        var dropped: UInt64 = 0
        var sequences: [WeakSequence] = []
    }

    fileprivate struct WeakSequence {
        weak var buffer: FileChangeSequence.Buffer?
    }

    struct Handlers: Sendable {
        var event: (@Sendable ([FileChange]) -> Void)?
        var ready: (@Sendable () -> Void)?
        var error: (@Sendable (FileTreeError) -> Void)?
        var cancel: (@Sendable () -> Void)?
    }

    /// The limit of changes that wait for the handler. If there are more, an `overflow` takes the
    /// place of all.
    static let waitingChangeLimit = 500_000

    init(_ target: DispatchQueue, window: DispatchTimeInterval, engineQueue: DispatchQueue) {
        if window == .never {
            fatalMisuse("FileTreeOptions.window: with .never no change is reported; pass 0 or more")
        }
        self.window = window
        self.engineQueue = engineQueue
        queue = DispatchQueue(label: "file-watching.handlers", target: target)
    }

    func set(_ change: @Sendable (inout Handlers) -> Void) {
        // Released outside the lock: what they have captured may end a watcher, which takes it.
        let gone = outbox.withLock { outbox -> Handlers? in
            defer { if outbox.handlers != nil { change(&outbox.handlers!) } }
            return outbox.handlers
        }
        _ = gone
    }

    /// Changes dropped because too many waited for the handler.
    var dropped: UInt64 { outbox.withLock { $0.dropped } }

    // MARK: changes

    /// - Parameters:
    ///   - isWhole: the change concerns the whole subtree: nothing may be merged across it.
    ///   - replaced: the kind of the entry that a renaming replaced.
    func add(_ change: FileChange, isWhole: Bool, replaced: FileChange.Kind? = nil) {
        guard window.clampedNanoseconds > 0 else {
            confined.ready.append(change)
            return
        }
        merging.add(change, isWhole: isWhole, replaced: replaced)
        guard !confined.isTimed else { return }
        confined.isTimed = true
        engineQueue.asyncAfter(deadline: .now() + window) { [self] in
            closeWindow()
            publish()
        }
    }

    /// Ends the window: its coalesced changes become ready.
    func closeWindow() {
        confined.isTimed = false
        confined.ready += merging.flush()
    }

    /// Numbers the ready changes and passes them to the handler and the sequences.
    func publish() {
        guard !confined.ready.isEmpty else { return }
        for index in confined.ready.indices {
            confined.sequence += 1
            confined.ready[index].sequence = confined.sequence
        }
        let changes = confined.ready
        confined.ready = []
        let (isFirst, sequences) = outbox.withLock { outbox in
            guard !outbox.isCancelled else { return (false, [FileChangeSequence.Buffer]()) }
            let sequences = outbox.sequences.compactMap(\.buffer)
            guard outbox.handlers?.event != nil else { return (false, sequences) }
            outbox.changes += changes
            // The receiver may be slow, or one scan has found them all.
            if outbox.changes.count > ChangeReporter.waitingChangeLimit {
                outbox.dropped += UInt64(outbox.changes.count)
                outbox.changes = outbox.changes.suffix(1).map(\.asOverflow)
            }
            defer { outbox.isScheduled = true }
            return (!outbox.isScheduled, sequences)
        }
        if isFirst { queue.async { [self] in callEventHandler() } }
        for sequence in sequences { sequence.append(changes) }
    }

    private func callEventHandler() {
        let (handler, changes) = outbox.withLock { outbox in
            outbox.isScheduled = false
            defer { outbox.changes = [] }
            return (outbox.isCancelled ? nil : outbox.handlers?.event, outbox.changes)
        }
        if let handler, !changes.isEmpty { handler(changes) }
    }

    func add(_ sequence: FileChangeSequence.Buffer) {
        let isLate = outbox.withLock { outbox in
            outbox.sequences.removeAll { $0.buffer == nil }
            if !outbox.isCancelled { outbox.sequences.append(WeakSequence(buffer: sequence)) }
            return outbox.isCancelled
        }
        if isLate { sequence.mailbox.finish() }
    }

    // MARK: the rest

    func report(_ error: FileTreeError) {
        call { $0.error?(error) }
    }

    func reportReady() {
        call { $0.ready?() }
    }

    private func call(_ body: @escaping @Sendable (Handlers) -> Void) {
        queue.async { [self] in
            let handlers = outbox.withLock { $0.isCancelled ? nil : $0.handlers }
            if let handlers { body(handlers) }
        }
    }

    /// From now on no handler but the cancel handler is called.
    /// - Parameter isReleased: the watcher is: unless it was cancelled, no handler is called.
    func silence(isReleased: Bool = false) {
        // Released outside the lock; see `set`.
        let gone = outbox.withLock { outbox in
            defer { (outbox.isCancelled, outbox.changes) = (true, []) }
            return isReleased && !outbox.isCancelled ? outbox.handlers.take() : nil
        }
        _ = gone
    }

    /// Called when the watches are removed: ends the sequences and calls the cancel handler.
    func cancel() {
        silence()
        let sequences = outbox.withLock { outbox in
            defer { outbox.sequences = [] }
            return outbox.sequences.compactMap(\.buffer)
        }
        for sequence in sequences { sequence.mailbox.finish() }
        queue.async { [self] in
            outbox.withLock { $0.handlers.take() }?.cancel?()
        }
    }
}
