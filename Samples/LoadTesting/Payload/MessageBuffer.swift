/// The messages of the next send, back to back. Used on its shard's queue.
final class MessageBuffer: @unchecked Sendable {
    // Safety: used on one queue only, and every access is within the allocation.
    @exclusivity(unchecked) private var memory: UnsafeMutableRawBufferPointer
    @exclusivity(unchecked) private(set) var count = 0

    private static let initialBytes = 4096

    init() {
        memory = .allocate(byteCount: Self.initialBytes, alignment: 64)
    }

    deinit { memory.deallocate() }

    func removeAll() { count = 0 }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: memory[..<count]) }

    @inline(__always)
    func append(_ source: UnsafeRawBufferPointer) {
        reserve(source.count)
        guard let from = source.baseAddress, let start = memory.baseAddress else { return }
        // Safety: `reserve` has made room, and `source` lies in other memory.
        (start + count).copyMemory(from: from, byteCount: source.count)
        count += source.count
    }

    func append(_ source: [UInt8]) { source.withUnsafeBytes { append($0) } }

    func append(_ text: String) { append(Array(text.utf8)) }

    /// Appends the first `length` bytes of the word, lowest byte first.
    @inline(__always)
    func append(word: UInt64, length: Int) {
        reserve(8)
        memory.storeBytes(of: word.littleEndian, toByteOffset: count, as: UInt64.self)
        count += length
    }

    @inline(__always)
    private func reserve(_ more: Int) {
        if count + more > memory.count { grow(count + more) }
    }

    private func grow(_ needed: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(needed, memory.count * 2), alignment: 64)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<count]))
        memory.deallocate()
        memory = larger
    }
}
