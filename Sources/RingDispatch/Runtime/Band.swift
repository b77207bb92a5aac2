/// Indices of the QoS bands on a run queue, lowest first.
enum Band {
    static let background: UInt8 = 0
    static let `default`: UInt8 = 2
    static let count = 5
}
