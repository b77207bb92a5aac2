/// The words of one command, the first of which is its name. Valid while it is executed.
struct Request {
    private let start: UnsafeRawPointer
    private let arguments: UnsafeMutableBufferPointer<Argument>

    init(start: UnsafeRawPointer, arguments: UnsafeMutableBufferPointer<Argument>) {
        self.start = start
        self.arguments = arguments
    }

    @inline(__always)
    var count: Int { arguments.count }

    @inline(__always)
    subscript(index: Int) -> UnsafeRawBufferPointer {
        let argument = arguments[index]
        return UnsafeRawBufferPointer(start: start + argument.offset, count: argument.count)
    }

    /// Hashes the keys at these places, for `hash(at:)`; the shards that they are in, one bit each.
    func hashKeys(_ indices: StrideTo<Int>, for store: Store) -> UInt64 {
        var mask: UInt64 = 0
        for index in indices {
            let hash = store.keyHash.hash(self[index])
            arguments[index].hash = hash
            mask |= 1 << UInt64(store.shardIndex(hash))
        }
        return mask
    }

    func hash(at index: Int) -> UInt64 { arguments[index].hash }

    /// Whether a word is this one, in whatever letters.
    func matches(_ index: Int, _ word: StaticString) -> Bool {
        let bytes = self[index]
        guard bytes.count == word.utf8CodeUnitCount else { return false }
        for offset in 0..<bytes.count {
            let byte = bytes[offset]
            let isLetter = byte >= UInt8(ascii: "a") && byte <= UInt8(ascii: "z")
            if (isLetter ? byte & 0xdf : byte) != word.utf8Start[offset] { return false }
        }
        return true
    }

    /// A word as text; at most `limit` bytes of it.
    func text(_ index: Int, limit: Int = 128) -> String {
        String(decoding: self[index].prefix(limit), as: UTF8.self)
    }
}
