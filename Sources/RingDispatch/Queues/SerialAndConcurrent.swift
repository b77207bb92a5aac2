/// A queue that runs one item at a time.
public final class DispatchSerialQueue: DispatchQueue, @unchecked Sendable {
    public convenience init(
        label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
        autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
    ) {
        self.init(
            label: label, qos: qos, kind: .serial,
            isInactive: attributes.contains(.initiallyInactive), target: target)
    }

    /// How a serial queue is made.
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// The queue runs nothing before `activate()`.
        public static let initiallyInactive = Attributes(rawValue: 1 << 2)
    }
}

/// A queue that runs items side by side, and barriers alone.
public final class DispatchConcurrentQueue: DispatchQueue, @unchecked Sendable {
    public convenience init(
        label: String, qos: DispatchQoS = .unspecified, attributes: Attributes = [],
        autoreleaseFrequency: AutoreleaseFrequency = .inherit, target: DispatchQueue? = nil
    ) {
        self.init(
            label: label, qos: qos, kind: .concurrent,
            isInactive: attributes.contains(.initiallyInactive), target: target)
    }

    /// How a concurrent queue is made.
    public struct Attributes: OptionSet, Sendable {
        public let rawValue: UInt64
        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// The queue runs nothing before `activate()`.
        public static let initiallyInactive = Attributes(rawValue: 1 << 2)
    }
}
