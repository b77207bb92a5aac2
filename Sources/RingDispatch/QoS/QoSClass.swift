/// A class in its C encoding, as in `<sys/qos.h>`.
public typealias qos_class_t = UInt32

extension DispatchQoS {
    /// How urgent work is. Ready queues of a higher class are drained first. Stands for
    /// `qos_class_t`.
    @frozen
    public enum QoSClass: Sendable {
        /// Work that no one waits for: maintenance, prefetching.
        case background
        /// Long work whose progress a user may follow.
        case utility
        /// Work without a stated urgency.
        case `default`
        /// Work that a user started and waits for.
        case userInitiated
        /// Work that keeps an interaction responsive.
        case userInteractive
        /// No class: the queue's target decides; `default` if no target has one.
        case unspecified

        /// The class with this C value; `nil` if there is none.
        public init?(rawValue: qos_class_t) {
            switch rawValue {
            case 0x09: self = .background
            case 0x11: self = .utility
            case 0x15: self = .default
            case 0x19: self = .userInitiated
            case 0x21: self = .userInteractive
            case 0x00: self = .unspecified
            default: return nil
            }
        }

        /// The C value; a higher class has a higher value.
        public var rawValue: qos_class_t {
            switch self {
            case .background: 0x09
            case .utility: 0x11
            case .default: 0x15
            case .userInitiated: 0x19
            case .userInteractive: 0x21
            case .unspecified: 0x00
            }
        }
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
