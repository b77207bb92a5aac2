internal import LinuxPlatform
internal import Synchronization

/// Runs items in submission order: one at a time (serial), or concurrently. `dispatch_queue_t`.
///
/// Items run on any threads of the runtime. A queue with items stays alive until they are done.
/// Releasing an inactive or suspended queue ends the process.
public class DispatchQueue: DispatchObject, @unchecked Sendable {
    // Safety: `front` belongs to the queue's holder, which has taken the queue by a
    // compare-and-swap of `state` (see `QueueState`), in every build. `target`, `priority` and what
    // follows from them are fixed while the queue is inactive: `setTarget` checks that, and
    // ends the process otherwise, in every build. The rest is immutable, atomic or locked.

    // The field order keeps submitters' writes and the holder's on different cache lines. Small
    // fields are next to each other, since servers have a queue for each connection.

    /// Submitted items that the holder has not taken.
    final let incoming = WorkItemInbox()
    /// The link on the target's list.
    final let node = WorkItemNode()
    /// The queue on which this one is enqueued; nil for a root queue.
    @exclusivity(unchecked) final var target: DispatchQueue?
    final let kind: Kind
    /// The priority of the root queue at the end of the targets.
    @exclusivity(unchecked) final var priority: UInt8
    /// The priority of the global queue at the end of the targets, or `noGlobalRoot`. A serial
    /// queue without a target has a root queue of its own.
    @exclusivity(unchecked) final var globalRoot = DispatchQueue.noGlobalRoot
    static let noGlobalRoot: UInt8 = .max
    /// Whether the last target is the main queue, which only the main thread serves.
    @exclusivity(unchecked) final var isThreadBound: Bool
    /// Whether another queue targets this one, or did. Set once (relaxed), by the thread that may
    /// then set a target.
    final let isTarget = Atomic<Bool>(false)
    /// Whether the queue is served away from the loops. Belongs to the thread that drains or
    /// enqueues the queue, like `node`. Written only where handlers block.
    @exclusivity(unchecked) final var blocking = BlockingHistory()
    /// One more than the index of the loop that keeps the timers of this queue; 0: none yet. Set
    /// once (relaxed): the loops exist before.
    final let timerLoopNumber = Atomic<UInt16>(0)
    /// The name given at creation. `dispatch_queue_get_label`.
    public final let label: String
    /// The quality of service given at creation. `dispatch_queue_get_qos_class`.
    public final let qos: DispatchQoS
    final let specifics = Locked<[ObjectIdentifier: QueueSpecific]>([:])
    /// See `QueueState`.
    final let state: Atomic<UInt64>
    /// Items that the holder has taken, in order.
    @exclusivity(unchecked) final var front = WorkItemList()

    enum Kind: UInt8 {
        case serial
        case concurrent
        case global
        case main
    }

    /// Attributes for creating a queue.
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// Items run concurrently. `DISPATCH_QUEUE_CONCURRENT`.
        public static let concurrent = Attributes(rawValue: 1 << 1)
        /// The queue runs nothing before `activate()`.
        /// `dispatch_queue_attr_make_initially_inactive`.
        public static let initiallyInactive = Attributes(rawValue: 1 << 2)
    }

    /// For source compatibility; has no effect without Objective-C.
    public enum AutoreleaseFrequency: Sendable {
        /// As the target queue. `DISPATCH_AUTORELEASE_FREQUENCY_INHERIT`.
        case inherit
        /// A pool for each item. `DISPATCH_AUTORELEASE_FREQUENCY_WORK_ITEM`.
        case workItem
        /// No pools. `DISPATCH_AUTORELEASE_FREQUENCY_NEVER`.
        case never
    }

    /// Creates a queue. `dispatch_queue_create_with_target`.
    /// - Parameters:
    ///   - label: a name for debugging, by convention in reverse-DNS form.
    ///   - qos: the class of the items; by default the target's.
    ///   - attributes: none makes a serial queue that is active.
    ///   - autoreleaseFrequency: has no effect.
    ///   - target: the queue that the items run on; by default the root queue of the class.
    public convenience init(
        label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
        autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
    ) {
        let kind = Self.fixedKind ?? (attributes.contains(.concurrent) ? .concurrent : .serial)
        if kind == .serial && attributes.contains(.concurrent) {
            fatalMisuse("serial queue '\(label)' cannot be created with the attribute .concurrent")
        }
        self.init(
            label: label, qos: qos, kind: kind,
            isInactive: attributes.contains(.initiallyInactive), target: target)
    }

    /// The kind that a subclass fixes, regardless of the attributes.
    class var fixedKind: Kind? { nil }

    init(label: String, qos: DispatchQoS, kind: Kind, isInactive: Bool, target: DispatchQueue?) {
        self.label = label
        self.qos = qos
        self.kind = kind
        state = Atomic(isInactive ? QueueState.inactive : 0)
        priority = Priority.default
        isThreadBound = kind == .main
        super.init()
        QueueLayer.install
        attach(to: target)
    }

    deinit {
        QueueInspection.waitForEnd()
        let state = QueueState(state.load(ordering: .acquiring))
        if state.isStopped {
            fatalMisuse(
                "queue '\(label)' was released while "
                    + (state.isInactive ? "inactive: activate it" : "suspended: resume it")
                    + " before releasing its last reference")
        }
    }

    final func attach(to target: DispatchQueue?) {
        // A root queue as target only determines the priority.
        self.target = target.flatMap { $0.kind == .global ? nil : $0 }
        self.target?.isTarget.store(true, ordering: .relaxed)
        isThreadBound = target?.isThreadBound ?? (kind == .main)
        let own = qos.qosClass == .unspecified ? nil : qos.qosClass.priorityIndex
        priority = self.target?.priority ?? own ?? target?.priority ?? Priority.default
        globalRoot =
            target?.globalRoot ?? (isSerial ? DispatchQueue.noGlobalRoot : priority)
    }

    // MARK: DispatchObject

    /// The main queue and the global ones are always active, and keep their targets.
    private final var isMadeByProgram: Bool { kind == .serial || kind == .concurrent }

    public override final func activate() {
        guard isMadeByProgram else { return }
        let result = update { state in
            guard state.isInactive else { return false }
            state.clear(QueueState.inactive)
            return true
        }
        if result != nil { enqueueIfDirty() }
    }

    public override final func suspend() {
        guard isMadeByProgram else { return }
        change { state in
            guard state.suspends < QueueState.maximumSuspends else {
                fatalMisuse("queue '\(label)' was suspended \(state.suspends) times without resume")
            }
            state.word += QueueState.oneSuspend
        }
    }

    public override final func resume() {
        guard isMadeByProgram else { return }
        change { state in
            guard state.suspends > 0 else {
                fatalMisuse(
                    "over-resume of queue '\(label)': "
                        + (state.isInactive
                            ? "it is inactive, and was never suspended; call activate()"
                            : "resume() without a suspend()"))
            }
            state.word -= QueueState.oneSuspend
        }
        enqueueIfDirty()
    }

    public override final func setTarget(queue: DispatchQueue?) {
        guard isMadeByProgram else { return }
        if let queue, queue === self || queue.targets(self) {
            fatalMisuse("queue '\(label)' cannot be its own target")
        }
        guard QueueState(state.load(ordering: .acquiring)).isInactive else {
            fatalMisuse(
                "cannot change the target of queue '\(label)' after it was activated; "
                    + "create it with .initiallyInactive, or pass target: to its initializer")
        }
        // The queues that target it have taken over what follows from its target.
        if isTarget.load(ordering: .relaxed) {
            fatalMisuse(
                "cannot change the target of queue '\(label)': it is a target itself; "
                    + "set its own target first")
        }
        attach(to: queue)
    }

    final var isSerial: Bool { kind == .serial || kind == .main }
}

extension DispatchQueue: CustomDebugStringConvertible {
    /// The label, the kind, and the current state.
    public final var debugDescription: String {
        let state = QueueState(state.load(ordering: .relaxed))
        var parts = ["\(kind)", "qos \(qos.qosClass)"]
        if state.isInactive { parts.append("inactive") }
        if state.suspends > 0 { parts.append("suspended \(state.suspends)") }
        if state.owner != 0 { parts.append("owned by thread \(state.owner)") }
        if state.running > 0 { parts.append("running \(state.running)") }
        if state.isEnqueued { parts.append("enqueued") }
        if state.isBarrierPending { parts.append("barrier waiting") }
        if !incoming.isEmpty { parts.append("items waiting") }
        if let target { parts.append("target '\(target.label)'") }
        return "<DispatchQueue '\(label)': \(parts.joined(separator: ", "))>"
    }
}
