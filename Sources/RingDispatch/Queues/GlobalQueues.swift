/// The root queues, one per class. They live as long as the process.
enum GlobalQueues {
    private static let queues: [DispatchQueue] = [
        make("com.apple.root.background-qos", .background),
        make("com.apple.root.utility-qos", .utility),
        make("com.apple.root.default-qos", .default),
        make("com.apple.root.user-initiated-qos", .userInitiated),
        make("com.apple.root.user-interactive-qos", .userInteractive),
    ]

    private static func make(_ label: String, _ qos: DispatchQoS) -> DispatchQueue {
        DispatchQueue(label: label, qos: qos, kind: .global, isInactive: false, target: nil)
    }

    static func queue(priority: UInt8) -> DispatchQueue { queues[Int(priority)] }

    static func unmanaged(priority: UInt8) -> Unmanaged<DispatchQueue> {
        Unmanaged.passUnretained(queues[Int(priority)])
    }
}

extension DispatchQueue {
    /// The global concurrent queue of a class; each call returns the same object.
    /// `dispatch_get_global_queue`.
    public static func global(qos: DispatchQoS.QoSClass = .default) -> DispatchQueue {
        GlobalQueues.queue(priority: qos.priorityIndex)
    }

    /// The former names of the classes.
    public enum GlobalQueuePriority: Sendable {
        /// The class `userInitiated`. `DISPATCH_QUEUE_PRIORITY_HIGH`.
        case high
        /// The class `default`. `DISPATCH_QUEUE_PRIORITY_DEFAULT`.
        case `default`
        /// The class `utility`. `DISPATCH_QUEUE_PRIORITY_LOW`.
        case low
        /// The class `background`. `DISPATCH_QUEUE_PRIORITY_BACKGROUND`.
        case background
    }

    /// The global queue of a class, by its former name. `dispatch_get_global_queue`.
    public static func global(priority: GlobalQueuePriority) -> DispatchQueue {
        switch priority {
        case .high: global(qos: .userInitiated)
        case .default: global(qos: .default)
        case .low: global(qos: .utility)
        case .background: global(qos: .background)
        }
    }
}
