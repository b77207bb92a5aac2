internal import LinuxPlatform
internal import Synchronization

extension DispatchQueue {
    /// The label of the queue that the caller runs on; empty if there is none.
    /// `dispatch_queue_get_label(DISPATCH_CURRENT_QUEUE_LABEL)`.
    public static var currentLabel: String { innermost?.label ?? "" }

    /// The queue that the caller runs on.
    private static var innermost: DispatchQueue? {
        let context = Context.current
        if let frame = context.pointee.frame { return frame.pointee.queue.takeUnretainedValue() }
        return main.isHeld(by: context) ? main : nil
    }

    /// Sets the queue's value for a key; nil removes it. A global queue has no values: setting one
    /// ends the process. `dispatch_queue_set_specific`.
    public final func setSpecific<T>(key: DispatchSpecificKey<T>, value: T?) {
        if kind == .global {
            fatalMisuse("setSpecific on global queue '\(label)': global queues carry no values")
        }
        let new = value.map { QueueSpecific(value: $0, key: key) }
        let old = specifics.withLock { specifics in
            defer { specifics[ObjectIdentifier(key)] = new }
            return specifics[ObjectIdentifier(key)].take().map { Unmanaged.passRetained($0) }
        }
        // The old value is released outside the lock, on a global queue: its deinit may run any
        // code, and the block holds the only reference.
        if let old { DispatchQueue.global().submit { old.release() } }
    }

    /// The queue's own value for a key; targets are not searched. `dispatch_queue_get_specific`.
    public final func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
        let entry = specifics.withLock { $0[ObjectIdentifier(key)] }
        return entry?.value as? T
    }

    /// The value of the caller's queue, or of its nearest target that has one.
    /// `dispatch_get_specific`.
    public static func getSpecific<T>(key: DispatchSpecificKey<T>) -> T? {
        var next = innermost
        while let queue = next {
            if let value = queue.getSpecific(key: key) { return value }
            next = queue.target
        }
        return nil
    }

    /// Whether the caller holds the queue, and so may touch its state.
    package final var isCurrent: Bool { isHeld(by: Context.current) }

    /// Whether the thread holds the queue exclusively. The main thread always holds the main queue.
    final func isHeld(by context: Context) -> Bool {
        QueueState(state.load(ordering: .relaxed)).owner == context.pointee.identifier
            || kind == .main && MainThread.isCurrent
    }
}
