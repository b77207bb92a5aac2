/// Indices of the QoS priorities on a run queue, lowest first.
enum Priority {
    static let background: UInt8 = 0
    static let `default`: UInt8 = 2
    static let count = 5
}
