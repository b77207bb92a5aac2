/// Receive buffers that a back end fills itself, and the numbers of the free ones. The buffer given
/// back last is taken next, because it is in the cache.
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
