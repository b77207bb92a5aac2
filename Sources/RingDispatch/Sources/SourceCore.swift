internal import LinuxPlatform
internal import Synchronization

/// What a source does, apart from the object that the program holds: that one's end cancels this.
///
/// Events merge into a pending value; `wake` puts the source onto its queue once, and there
/// `invoke` installs, calls the handlers, and arms the next event. Only the invoker, of whom there
/// is one at a time, touches the handlers and what the subclasses say is its own.
class SourceCore: @unchecked Sendable {
    // Safety: see above; the rest is atomic or locked.
    // What each event needs comes first, so that it shares cache lines.
    final let state = Atomic<UInt32>(SourceState.inactive)
    /// Whether the kind has something to arm.
    private final let hasKernelEvents: Bool
    @exclusivity(unchecked) private final var isInstalled = false
    /// On the queue's list; see `WorkItemNode`.
    private final let node = WorkItemNode()
    /// Where the handlers run, retained; fixed before activation.
    @exclusivity(unchecked) private final var target: Unmanaged<DispatchQueue>
    @exclusivity(unchecked) final var handlers = SourceHandlers()
    /// Handlers that were set after activation, for the invoker to take over.
    private final let updates = Locked<[HandlerUpdate]>([])

    init(queue: DispatchQueue?, hasKernelEvents: Bool) {
        self.hasKernelEvents = hasKernelEvents
        target = .passRetained(queue ?? DispatchQueue.global())
        SourceCore.living.wrappingAdd(1, ordering: .relaxed)
    }

    deinit {
        target.release()
        SourceCore.living.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Sources that exist: a count for people, read and written relaxed.
    private static let living = Atomic<Int>(0)
    static var count: Int { living.load(ordering: .relaxed) }

    final var queue: DispatchQueue {
        get { target.takeUnretainedValue() }
        set {
            target.release()
            target = .passRetained(newValue)
        }
    }

    // MARK: what kinds of sources differ in

    /// Takes what happened since the last call; false when nothing did. For the invoker.
    func latch() -> Bool { false }

    /// Starts waiting for the next event; false when the kind has nothing to wait for.
    /// For the invoker, which has set `armed`.
    func arm(_ context: Context) -> Bool { false }

    /// The same for kinds whose armed event keeps the source alive: one that keeps `spare`, a
    /// reference that nobody else needs, sets it to nil.
    /// - Parameter isOnQueue: the caller runs on the source's queue. If not, it may go on with
    ///   something that takes for ever, and the source must not wait for the end of that.
    func arm(
        _ context: Context, isOnQueue: Bool, _ spare: inout Unmanaged<SourceCore>?
    ) -> Bool { arm(context) }

    /// Lets go of the kernel's side; false when that takes a while: `wake` follows then.
    /// For the invoker.
    func detach(wasInstalled: Bool, _ context: Context) -> Bool { true }

    /// Lets go of what needs no turn on the queue, before `detach`. For the invoker.
    func disarmForGood() {}

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
        if claim() { enqueue(context) }
    }

    /// The same from a thread that may run handlers: they run there and then, as in `sync`, if the
    /// queue and its targets are idle.
    final func wakeOrInvoke(_ context: Context) {
        guard claim() else { return }
        let queue = queue
        var scope = SyncScope()
        withUnsafeMutablePointer(to: &scope) { scope in
            guard queue.priority != Priority.background,
                queue.beginSyncIfIdle(scope, asBarrier: false)
            else { return enqueue(context) }
            queue.nameThread()
            SourceCore.invoke(.passRetained(self), priority: queue.priority, context)
            queue.endSync(scope, asBarrier: false)
        }
    }

    /// Notes that something happened; true when the caller is to put the source onto its queue.
    @inline(__always)
    private final func claim() -> Bool {
        let result = update { state in
            guard !state.isStopped && !state.isDone else { return false }
            state.word |= state.isEnqueued ? SourceState.dirty : SourceState.enqueued
            return true
        }
        return result.map { !$0.old.isEnqueued } ?? false
    }

    /// The armed event has happened; consumes the reference by which it kept the source alive.
    @inline(__always)
    static func disarmAndWake(_ reference: Unmanaged<SourceCore>, _ context: Context) {
        let isConsumed = reference._withUnsafeGuaranteedRef { source in
            let result = source.update { state in
                state.word &= ~SourceState.armed
                guard !state.isStopped && !state.isDone else { return true }
                state.word |= state.isEnqueued ? SourceState.dirty : SourceState.enqueued
                return true
            }
            guard let result, result.new.isEnqueued && !result.old.isEnqueued else { return false }
            source.enqueue(reference, context)
            return true
        }
        if !isConsumed { reference.release() }
    }

    /// Puts the source onto its queue; the caller set `enqueued`.
    private final func enqueue(_ context: Context) {
        enqueue(Unmanaged.passRetained(self), context)
    }

    /// The same with a reference that the caller hands over.
    @inline(__always)
    private final func enqueue(_ reference: Unmanaged<SourceCore>, _ context: Context) {
        target._withUnsafeGuaranteedRef { queue in
            queue.push(
                node.prepare(.source, priority: queue.priority, object: reference.toOpaque()),
                context)
        }
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
            var none: Unmanaged<SourceCore>?
            armIfIdle(context, isOnQueue: false, &none)
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
        } else {
            disarmForGood()
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

    /// Runs on the source's queue, as a work item of it. Consumes the reference.
    @inline(__always)
    static func invoke(_ reference: Unmanaged<SourceCore>, priority: UInt8, _ context: Context) {
        var spare: Unmanaged<SourceCore>? = reference
        reference._withUnsafeGuaranteedRef { source in
            if context.pointee.frame == nil {
                let root = GlobalQueues.unmanaged(priority: priority)
                withFrame(root, isDrain: false, isExclusive: false, context) {
                    source.invokeOnQueue(context, &spare)
                }
            } else {
                source.invokeOnQueue(context, &spare)
            }
        }
        spare?.release()
    }

    private final func invokeOnQueue(_ context: Context, _ spare: inout Unmanaged<SourceCore>?) {
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
            armIfIdle(context, isOnQueue: true, &spare)
        }
        finishInvocation(context)
    }

    @inline(__always)
    private final func callHandlers(_ context: Context) {
        if isInstalled {
            if latch() { handlers.callEvent() }
            return
        }
        isInstalled = true
        var none: Unmanaged<SourceCore>?
        armIfIdle(context, isOnQueue: true, &none)
        handlers.registration?.call()
        handlers.registration = nil
        // What the program has merged before waits for a call of its own.
        if !hasKernelEvents {
            update { state in
                state.word |= SourceState.dirty
                return true
            }
        }
    }

    @inline(__always)
    private final func armIfIdle(
        _ context: Context, isOnQueue: Bool, _ spare: inout Unmanaged<SourceCore>?
    ) {
        // Without a handler an event would come again and again.
        guard hasKernelEvents, handlers.event != nil else { return }
        let result = update { state in
            guard !state.isArmed && state.suspends == 0 && !state.isCancelled else { return false }
            state.word |= SourceState.armed
            return true
        }
        guard result != nil else { return }
        if !arm(context, isOnQueue: isOnQueue, &spare) {
            update { state in
                state.word &= ~SourceState.armed
                return true
            }
        }
    }

    /// Releases the source for its next invocation, which follows at once if an event is pending.
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
