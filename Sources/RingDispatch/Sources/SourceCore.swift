internal import Ring
internal import Synchronization

/// What a source does, apart from the object that the program holds: that one's end cancels this.
///
/// Events merge into a pending value; `wake` puts the source onto its queue once, and there
/// `invoke` installs, calls the handlers, and arms the next event. Only the invoker, of whom there
/// is one at a time, touches the handlers and what the subclasses say is its own.
class SourceCore: @unchecked Sendable {
    // Safety: see above; the rest is atomic or locked.
    final let state = Atomic<UInt32>(SourceState.inactive)
    /// Fixed before activation.
    @exclusivity(unchecked) final var queue: DispatchQueue
    @exclusivity(unchecked) final var handlers = SourceHandlers()
    @exclusivity(unchecked) private final var isInstalled = false
    /// Handlers that were set after activation, for the invoker to take over.
    private final let updates = Locked<[HandlerUpdate]>([])

    /// Whether the kind has something to arm.
    private final let hasKernelEvents: Bool

    init(queue: DispatchQueue?, hasKernelEvents: Bool) {
        self.hasKernelEvents = hasKernelEvents
        self.queue = queue ?? DispatchQueue.global()
    }

    // MARK: what kinds of sources differ in

    /// Takes what happened since the last call; false when nothing did. For the invoker.
    func latch() -> Bool { false }

    /// Starts waiting for the next event; false when the kind has nothing to wait for.
    /// For the invoker, which has set `armed`.
    func arm(_ context: Context) -> Bool { false }

    /// Lets go of the kernel's side; false when that takes a while: `wake` follows then.
    /// For the invoker.
    func detach(wasInstalled: Bool, _ context: Context) -> Bool { true }

    /// Says in messages what the source is for.
    var purpose: String { "source" }

    // MARK: state

    @inline(__always)
    @discardableResult
    final func update(
        _ change: (inout SourceState) -> Bool
    ) -> (old: SourceState, new: SourceState)? {
        var old = SourceState(state.load(ordering: .relaxed))
        while true {
            var new = old
            guard change(&new) else { return nil }
            let (exchanged, original) = state.weakCompareExchange(
                expected: old.word, desired: new.word, ordering: .acquiringAndReleasing)
            if exchanged { return (old, new) }
            old = SourceState(original)
        }
    }

    final var current: SourceState { SourceState(state.load(ordering: .acquiring)) }

    /// Something happened: the source is to be invoked on its queue. From any thread.
    @inline(__always)
    final func wake(_ context: Context) {
        let result = update { state in
            guard !state.isStopped && !state.isDone else { return false }
            state.word |= state.isEnqueued ? SourceState.dirty : SourceState.enqueued
            return true
        }
        if let result, !result.old.isEnqueued { enqueue(context) }
    }

    /// Puts the source onto its queue; the caller set `enqueued`.
    @inline(__always)
    private final func enqueue(_ context: Context) {
        let job = context.pointee.jobs.make(
            Job(
                kind: .source, band: queue.band, object: Unmanaged.passRetained(self).toOpaque()))
        queue.push(job, context)
    }

    // MARK: life

    final func activate() {
        guard current.isInactive else { return }
        let context = Context.current
        // Claimed like an invocation: nobody else installs meanwhile, and what happens from now on
        // makes the source dirty.
        let claim = update { state in
            guard state.isInactive else { return false }
            state.word &= ~SourceState.inactive
            state.word |= SourceState.enqueued
            // What the program merged before waits already.
            if !hasKernelEvents { state.word |= SourceState.dirty }
            return true
        }
        guard let claim else { return }
        if claim.new.isCancelled || handlers.registration != nil {
            // Their handlers run on the source's queue.
            if claim.new.suspends == 0 {
                enqueue(context)
                return
            }
        } else {
            isInstalled = true
            armIfIdle(context)
        }
        finishInvocation(context)
    }

    final func suspend() {
        update { state in
            state.word += SourceState.oneSuspend
            return true
        }
    }

    /// Also activates: on an inactive source the first resume means that.
    final func resume() {
        let before = current
        if before.isInactive && before.suspends == 0 {
            activate()
            return
        }
        update { state in
            guard state.suspends > 0 else {
                fatalMisuse(
                    "over-resume of \(purpose) on queue '\(queue.label)': it is not suspended")
            }
            state.word -= SourceState.oneSuspend
            return true
        }
        wake(Context.current)
    }

    /// - Parameter isAbandoned: nobody holds the source any more; its cancel handler does not run.
    final func cancel(isAbandoned: Bool = false) {
        let bits = SourceState.cancelled | (isAbandoned ? SourceState.abandoned : 0)
        let result = update { state in
            guard !state.isCancelled && !state.isDone else { return false }
            state.word |= bits
            if !state.isStopped {
                state.word |= state.isEnqueued ? SourceState.dirty : SourceState.enqueued
            }
            return true
        }
        guard let result, !result.old.isEnqueued, result.new.isEnqueued else { return }
        // The caller is the invoker now: what needs no handler is done here and now.
        let context = Context.current
        if isAbandoned || handlers.cancel == nil {
            if finishCancel(context) { return }
        }
        enqueue(context)
    }

    // MARK: handlers

    enum HandlerKind { case event, cancel, registration }

    private struct HandlerUpdate: Sendable {
        let kind: HandlerKind
        let handler: SourceHandler?
    }

    final func setHandler(_ kind: HandlerKind, _ handler: SourceHandler?) {
        if current.isInactive {
            handlers.set(kind, handler)
            return
        }
        updates.withLock { $0.append(HandlerUpdate(kind: kind, handler: handler)) }
        update { state in
            state.word |= SourceState.dirty
            return true
        }
        wake(Context.current)
    }

    private final func takeOverHandlers() {
        let new = updates.withLock { updates in
            defer { updates = [] }
            return updates
        }
        for update in new { handlers.set(update.kind, update.handler) }
    }

    // MARK: invocation

    /// Runs on the source's queue, as a job of it. Consumes nothing.
    final func invoke(band: UInt8, _ context: Context) {
        if context.pointee.frame == nil {
            withFrame(
                GlobalQueues.unmanaged(band: band), isDrain: false, isExclusive: false, context
            ) {
                invokeOnQueue(context)
            }
        } else {
            invokeOnQueue(context)
        }
    }

    private final func invokeOnQueue(_ context: Context) {
        var before = current
        if before.isDirty {
            update { state in
                state.word &= ~SourceState.dirty
                before = state
                return true
            }
            takeOverHandlers()
        }
        if before.isStopped {
            finishInvocation(context)
            return
        }
        if !before.isCancelled {
            callHandlers(context)
            before = current
        }
        if before.isCancelled && !before.isStopped {
            // A cancel handler may have been set while the event handler ran.
            takeOverHandlers()
            if finishCancel(context) { return }
        } else if !before.isCancelled {
            armIfIdle(context)
        }
        finishInvocation(context)
    }

    @inline(__always)
    private final func callHandlers(_ context: Context) {
        if isInstalled {
            if latch() { handlers.event?.call() }
            return
        }
        isInstalled = true
        armIfIdle(context)
        handlers.registration?.call()
        handlers.registration = nil
    }

    private final func armIfIdle(_ context: Context) {
        // Without a handler an event would come again and again.
        guard hasKernelEvents, handlers.event != nil else { return }
        let result = update { state in
            guard !state.isArmed && state.suspends == 0 && !state.isCancelled else { return false }
            state.word |= SourceState.armed
            return true
        }
        guard result != nil else { return }
        if !arm(context) {
            update { state in
                state.word &= ~SourceState.armed
                return true
            }
        }
    }

    /// The armed event came, or will not come. Before `wake`.
    @inline(__always)
    final func disarmed() {
        state.bitwiseAnd(~SourceState.armed, ordering: .acquiringAndReleasing)
    }

    /// Gives the source free for the next invocation, which follows at once if something came.
    private final func finishInvocation(_ context: Context) {
        let result = update { state in
            let isWanted = state.isDirty && !state.isStopped && !state.isDone
            if !isWanted { state.word &= ~SourceState.enqueued }
            return true
        }
        // Behind the others on its queue, so that no source starves its neighbours.
        if let result, result.new.isEnqueued { enqueue(context) }
    }

    /// The end of a cancelled source; false when the kernel has not let go of it yet.
    private final func finishCancel(_ context: Context) -> Bool {
        guard detach(wasInstalled: isInstalled, context) else { return false }
        isInstalled = false
        let last = handlers
        handlers = SourceHandlers()
        update { state in
            state.word |= SourceState.done
            state.word &= ~(SourceState.enqueued | SourceState.dirty)
            return true
        }
        if !current.isAbandoned { last.cancel?.call() }
        return true
    }
}

/// A handler block. The queue keeps two calls apart, whatever the closure captures.
struct SourceHandler: @unchecked Sendable {
    // Safety: called by one invoker at a time.
    private let block: () -> Void

    init(_ block: @escaping () -> Void) { self.block = block }

    @inline(__always)
    func call() { block() }
}

struct SourceHandlers {
    var event: SourceHandler?
    var cancel: SourceHandler?
    var registration: SourceHandler?

    mutating func set(_ kind: SourceCore.HandlerKind, _ handler: SourceHandler?) {
        switch kind {
        case .event: event = handler
        case .cancel: cancel = handler
        case .registration: registration = handler
        }
    }
}
