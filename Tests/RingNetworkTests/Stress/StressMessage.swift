import Glibc

/// A message: a header that says how long it is, who sent it, and its number; and bytes that depend
/// on both.
struct StressMessage {
    enum Source: UInt32 {
        /// The connection's handlers.
        case handler
        /// A thread that is not on the connection's queue.
        case outsider
    }

    let source: Source
    let number: Int
    let count: Int

    static let headerBytes = 8
    static let mostBytes = 65_536
    /// The bytes of a message are a part of these.
    static let content = patterned(2 * mostBytes)

    /// Where the bytes of the message begin in `content`.
    var offset: Int { (number &* 4099 &+ Int(source.rawValue) &* 77) & 0xffff }

    var header: [UInt8] {
        let words = [UInt32(count), UInt32(number) << 1 | source.rawValue]
        return words.withUnsafeBytes { Array($0) }
    }

    var body: [UInt8] { Array(StressMessage.content[offset..<offset + count]) }

    var bytes: [UInt8] { header + body }

    init(_ source: Source, _ number: Int, count: Int) {
        self.source = source
        self.number = number
        self.count = count
    }

    /// The message that begins with these bytes; nil if they are not a whole header.
    init?(header bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= StressMessage.headerBytes else { return nil }
        let second = bytes.loadUnaligned(fromByteOffset: 4, as: UInt32.self)
        source = second & 1 == 0 ? .handler : .outsider
        number = Int(second >> 1)
        count = Int(bytes.loadUnaligned(as: UInt32.self))
    }

    /// Whether these are the bytes after the header. memcmp(3), which is fast in all builds.
    func matches(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard count > 0, let found = bytes.baseAddress else { return true }
        return StressMessage.content.withUnsafeBytes { content in
            memcmp(content.baseAddress! + offset, found, count) == 0
        }
    }
}
