/// Receive buffers that a loop fills itself, and the numbers of those that are free. The last one
/// given back is the next one taken, for it is in the cache.
struct BufferStack {
    let memory: ReceiveBuffers
    private var numbers: [UInt16]

    init(count: Int) {
        memory = ReceiveBuffers(count: count)
        numbers = (0..<memory.initialCount).reversed().map { UInt16($0) }
    }

    @inline(__always)
    mutating func take() -> (number: UInt16, memory: UnsafeMutableRawPointer)? {
        numbers.popLast().map { ($0, memory[$0]) }
    }

    @inline(__always)
    mutating func giveBack(_ number: UInt16) { numbers.append(number) }

    func free() { memory.free() }
}
