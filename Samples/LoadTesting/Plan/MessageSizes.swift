/// The sizes of messages in bytes: one size, a range, or several with weights.
///
/// The connection's seed and the message's number determine the size, so that sender and checker
/// need not exchange it.
public struct MessageSizes: Sendable, Hashable, CustomStringConvertible {
    enum Kind: Sendable, Hashable {
        case fixed(Int)
        case range(ClosedRange<Int>)
        /// Sizes, each with the sum of the weights up to it.
        case weighted([Weighted], total: Int)
    }

    struct Weighted: Sendable, Hashable {
        let bytes: Int
        let weight: Int
        let sum: Int
    }

    /// The valid sizes, in bytes.
    public static let limits = 1...(16 * 1024 * 1024)
    private static let mostWeight = 1_000_000

    let kind: Kind

    /// One size for all messages.
    /// - Throws: ``LoadFailure``, with the cause and the remedy.
    public init(bytes: Int) throws { try self.init("\(bytes)") }

    /// Reads `64`, `16..4096`, or sizes with weights: `64:90,1024:9,65536:1`.
    /// - Throws: ``LoadFailure``, with the cause and the remedy.
    public init(_ text: String) throws {
        if let dots = text.firstRange(of: "..") {
            let low = try Self.size(text[..<dots.lowerBound], of: text)
            let high = try Self.size(text[dots.upperBound...], of: text)
            guard low <= high else {
                throw LoadFailure.usage("--size \(text): write the smaller number of bytes first")
            }
            kind = low == high ? .fixed(low) : .range(low...high)
        } else if text.contains(":") {
            kind = try Self.weighted(text)
        } else {
            kind = .fixed(try Self.size(text[...], of: text))
        }
    }

    private static func weighted(_ text: String) throws(LoadFailure) -> Kind {
        var sizes: [Weighted] = []
        var sum = 0
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: ":", omittingEmptySubsequences: false)
            guard pair.count == 2, let weight = Int(pair[1]), 1...mostWeight ~= weight else {
                throw LoadFailure.usage(
                    "--size \(text): write sizes with weights, as in 64:90,1024:10")
            }
            sum += weight
            sizes.append(
                Weighted(bytes: try size(pair[0], of: text), weight: weight, sum: sum))
        }
        return .weighted(sizes, total: sum)
    }

    private static func size(_ digits: Substring, of text: String) throws(LoadFailure) -> Int {
        guard let size = Int(digits) else {
            throw LoadFailure.usage(
                "--size \(text): write a number of bytes (64), a range (16..4096), or sizes with "
                    + "weights (64:90,1024:10)")
        }
        guard limits.contains(size) else {
            throw LoadFailure.usage(
                "--size \(text): must be \(limits.lowerBound) to \(limits.upperBound) bytes")
        }
        return size
    }

    var largest: Int {
        switch kind {
        case .fixed(let bytes): bytes
        case .range(let range): range.upperBound
        case .weighted(let sizes, _): sizes.reduce(0) { max($0, $1.bytes) }
        }
    }

    var smallest: Int {
        switch kind {
        case .fixed(let bytes): bytes
        case .range(let range): range.lowerBound
        case .weighted(let sizes, _): sizes.reduce(.max) { min($0, $1.bytes) }
        }
    }

    /// - Parameter word: a different one for each message.
    @inline(__always)
    func size(of word: UInt64) -> Int {
        if case .fixed(let bytes) = kind { return bytes }
        return variedSize(of: word)
    }

    private func variedSize(of word: UInt64) -> Int {
        var generator = SeededGenerator(state: word)
        let random = generator.next()
        switch kind {
        case .fixed(let bytes): return bytes
        case .range(let range):
            return range.lowerBound + Int(random % UInt64(range.count))
        case .weighted(let sizes, let total):
            let place = Int(random % UInt64(total))
            return sizes.first { place < $0.sum }?.bytes ?? largest
        }
    }

    public var description: String {
        switch kind {
        case .fixed(let bytes): "\(bytes)"
        case .range(let range): "\(range.lowerBound)..\(range.upperBound)"
        case .weighted(let sizes, _):
            sizes.map { "\($0.bytes):\($0.weight)" }.joined(separator: ",")
        }
    }
}
