/// A class in its C encoding, as in `<sys/qos.h>`.
public typealias qos_class_t = UInt32

extension DispatchQoS {
    /// How urgent work is. Ready queues of a higher class are drained first. The raw value is the
    /// class's C value: a higher class has a higher one.
    @frozen
    public enum QoSClass: qos_class_t, Sendable {
        /// Work that no one waits for: maintenance, prefetching.
        case background = 0x09
        /// Long work whose progress a user may follow.
        case utility = 0x11
        /// Work without a stated urgency.
        case `default` = 0x15
        /// Work that a user started and waits for.
        case userInitiated = 0x19
        /// Work that keeps an interaction responsive.
        case userInteractive = 0x21
        /// No class: the queue's target decides; `default` if no target has one.
        case unspecified = 0x00
    }
}

extension DispatchQoS.QoSClass {
    /// The class's run queue, from 0 (`background`) to 4 (`userInteractive`); `unspecified` shares
    /// that of `default`.
    package var priorityIndex: UInt8 {
        switch self {
        case .background: 0
        case .utility: 1
        case .default, .unspecified: 2
        case .userInitiated: 3
        case .userInteractive: 4
        }
    }
}
