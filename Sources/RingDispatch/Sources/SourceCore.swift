internal import LinuxPlatform
internal import Synchronization

/// The working part of a source. The program holds a `DispatchSource`, whose end cancels the core.
///
/// `activate` installs the source. Events merge into a pending value. `wake` puts the source onto
/// its queue once, which calls its handlers and arms the next event. The invoker is the thread that
/// holds the `enqueued` bit, one at a time: only it touches the handlers and the fields that a
/// subclass assigns to it.
class SourceCore: Runnable {
    // Safety: see above; the rest is atomic or locked.
    // The fields that each event needs come first, to share cache lines.
    final let state = Atomic<UInt32>(SourceState.inactive)
    /// Whether this kind of source must be armed for events.
    private final let hasKernelEvents: Bool
    /// The source's entry on its queue's list; see `WorkItemNode`.
    private final let node = WorkItemNode()
    /// The queue of the handlers, retained; fixed before activation.
    @exclusivity(unchecked) private final var target: Unmanaged<DispatchQueue>
    @exclusivity(unchecked) final var handlers = SourceHandlers()
    /// Handlers set after activation, which the invoker takes over.
    private final let updates = Locked<[HandlerUpdate]>([])

    init(queue: DispatchQueue?, hasKernelEvents: Bool) {
        self.hasKernelEvents = hasKernelEvents
        target = .passRetained(queue ?? DispatchQueue.global())
        super.init()
        SourceCore.living.wrappingAdd(1, ordering: .relaxed)
    }

    deinit {
        target.release()
        SourceCore.living.wrappingSubtract(1, ordering: .relaxed)
    }

    /// Number of existing sources, for diagnostics. Read and written relaxed.
    private static let living = Atomic<Int>(0)
    static var count: Int { living.load(ordering: .relaxed) }

    final var queue: DispatchQueue {
        get { target.takeUnretainedValue() }
        set {
            target.release()
            target = .passRetained(newValue)
        }
    }

    // MARK: for subclasses

    /// Moves the pending event to the invoker. Returns false if there is none. For the invoker.
    func latch() -> Bool { false }

    /// Starts waiting for the next event, which must keep the source alive. Returns false if there
    /// is nothing to wait for. For the invoker, which has set `armed`.
    func arm(_ context: Context) -> Bool { false }

    /// Once armed, it collects events until `detach`, while it is suspended, too.
    var staysArmed: Bool { false }

    /// Releases the kernel's side. For the invoker.
    func detach() {}

    /// Releases early the part that needs no turn on the queue, before `detach`. For the invoker.
    func disarmForGood() {}

    /// The descriptor, signal or process; 0 if there is none.
    var handle: UInt { 0 }

    /// What the event handler gets to know. For the event handler.
    var data: UInt { 0 }

    /// Describes the source in messages.
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

    @inline(__always)
    @discardableResult
    private final func clear(_ bits: UInt32) -> SourceState {
        SourceState(state.bitwiseAnd(~bits, ordering: .acquiringAndReleasing).newValue)
    }

    final var current: SourceState { SourceState(state.load(ordering: .acquiring)) }

    /// Records an event, and puts the source onto its queue to be invoked. From any thread, which
    /// holds a reference.
    /// - Parameter disarms: it is the event for which the source was armed.
    @inline(__always)
    final func wake(_ context: Context, disarms: Bool = false) {
        let result = update { state in
            if disarms { state.word &= ~SourceState.armed }
            state.noteEvent()
            return true
        }
        if let result, result.new.isEnqueued && !result.old.isEnqueued { enqueue(context) }
    }

    /// Puts the source onto its queue. The caller has set `enqueued`, and holds a reference: the
    /// work item may have run before this returns, and released its own, and the queue with it.
    @inline(__always)
    private final func enqueue(_ context: Context) {
        let reference = Unmanaged<SourceCore>.passRetained(self)
        target._withUnsafeGuaranteedRef { queue in
            queue.push(
                node.prepare(.object, priority: queue.priority, object: reference.toOpaque()),
                context)
        }
    }

    // MARK: life

    final func activate() {
        guard current.isInactive else { return }
        let context = Context.current
        // Claim the source like an invocation: no other thread installs it meanwhile, and events
        // from now on set `dirty`.
        let claim = update { state in
            guard state.isInactive else { return false }
            state.word &= ~SourceState.inactive
            state.word |= SourceState.enqueued
            // Values merged before the activation are pending already.
            if !hasKernelEvents { state.word |= SourceState.dirty }
            return true
        }
        guard let claim else { return }
        armIfIdle(context)
        // The registration and cancel handlers run on the source's queue.
        let hasHandler = claim.new.isCancelled || handlers.registration != nil
        if hasHandler && claim.new.suspends == 0 {
            enqueue(context)
        } else {
            finishInvocation(context)
        }
    }

    final func suspend() {
        let before = SourceState(
            state.wrappingAdd(SourceState.oneSuspend, ordering: .acquiringAndReleasing).oldValue)
        guard before.suspends < SourceState.mostSuspends else {
            fatalMisuse("\(purpose) was suspended \(before.suspends) times without resume")
        }
    }

    /// The first `resume` of an inactive source activates it.
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

    /// - Parameter isAbandoned: no references to the source are left; its cancel handler does not
    ///   run.
    final func cancel(isAbandoned: Bool = false) {
        let bits = SourceState.cancelled | (isAbandoned ? SourceState.abandoned : 0)
        let result = update { state in
            guard !state.isCancelled && !state.isDone else { return false }
            state.word |= bits
            state.noteEvent()
            return true
        }
        guard let result, !result.old.isEnqueued, result.new.isEnqueued else { return }
        // The caller is the invoker now, and does the part without a handler at once.
        let context = Context.current
        takeOverHandlers()
        if isAbandoned || handlers.cancel == nil {
            finishCancel()
        } else {
            disarmForGood()
            enqueue(context)
        }
    }

    // MARK: handlers

    typealias HandlerPath = any WritableKeyPath<SourceHandlers, SourceHandler?> & Sendable
    private typealias HandlerUpdate = (path: HandlerPath, handler: SourceHandler?)

    final func setHandler(_ path: HandlerPath, _ handler: SourceHandler?) {
        if current.isInactive {
            handlers[keyPath: path] = handler
            return
        }
        updates.withLock { $0.append((path, handler)) }
        state.bitwiseOr(SourceState.dirty, ordering: .acquiringAndReleasing)
        wake(Context.current)
        if current.isDone { takeUpdates() }
    }

    private final func takeOverHandlers() {
        for update in takeUpdates() { handlers[keyPath: update.path] = update.handler }
    }

    @discardableResult
    private final func takeUpdates() -> [HandlerUpdate] {
        updates.withLock { exchange(&$0, with: []) }
    }

    // MARK: invocation

    /// Runs as a work item on the source's queue.
    override final func run(priority: UInt8, _ context: Context) -> Bool {
        if context.pointee.frame == nil {
            let root = GlobalQueues.unmanaged(priority: priority)
            withSharedFrame(root, context) { invokeOnQueue(context) }
        } else {
            invokeOnQueue(context)
        }
        return true
    }

    private final func invokeOnQueue(_ context: Context) {
        var before = current
        if before.isDirty {
            before = clear(SourceState.dirty)
            takeOverHandlers()
        }
        if before.isStopped {
            finishInvocation(context)
            return
        }
        if !before.isCancelled {
            callHandlers()
            before = current
        }
        if before.isCancelled && !before.isStopped {
            // A cancel handler may have been set while the event handler ran.
            takeOverHandlers()
            finishCancel()
            return
        }
        if !before.isCancelled { armIfIdle(context) }
        finishInvocation(context)
    }

    @inline(__always)
    private final func callHandlers() {
        // It may cancel or suspend the source, or set handlers, which another invocation takes.
        if let registration = handlers.registration.take() {
            registration.call()
            let now = current
            if now.isCancelled || now.isStopped || now.isDirty { return }
        }
        if latch() { handlers.callEvent() }
    }

    @inline(__always)
    private final func armIfIdle(_ context: Context) {
        // Without an event handler the same event would recur endlessly.
        guard hasKernelEvents, handlers.event != nil else { return }
        let result = update { state in
            // If it is dirty, an event may be pending; the next invocation takes that, and arms.
            guard !state.isArmed && !state.isDirty && (state.suspends == 0 || staysArmed),
                !state.isCancelled
            else { return false }
            state.word |= SourceState.armed
            return true
        }
        guard result != nil else { return }
        if !arm(context) { clear(SourceState.armed) }
    }

    /// Releases the source for its next invocation, which follows at once if an event is pending.
    private final func finishInvocation(_ context: Context) {
        let result = update { state in
            let isWanted = state.isDirty && !state.isStopped && !state.isDone
            if !isWanted { state.word &= ~SourceState.enqueued }
            return true
        }
        // Enqueue behind the queue's other items, so that no source starves its neighbours.
        if let result, result.new.isEnqueued { enqueue(context) }
    }

    /// Ends a cancelled source.
    private final func finishCancel() {
        detach()
        let last = handlers
        handlers = SourceHandlers()
        update { state in
            state.word |= SourceState.done
            state.word &= ~(SourceState.enqueued | SourceState.dirty)
            return true
        }
        // Set too late.
        takeUpdates()
        if !current.isAbandoned { last.cancel?.call() }
    }
}
