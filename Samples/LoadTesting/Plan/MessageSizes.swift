/// The sizes of messages in bytes: one size, a range, or several with weights.
///
/// The connection's seed and the message's number determine the size, so that sender and checker
/// need not exchange it.
public struct MessageSizes: Sendable, Hashable, CustomStringConvertible {
    /// A range of sizes, chosen in proportion to its weight.
    private struct Part: Sendable, Hashable {
        let range: ClosedRange<Int>
        var weight = 1
    }

    /// The valid sizes, in bytes.
    public static let limits = 1...(16 * 1024 * 1024)
    private static let mostWeight = 1_000_000

    /// The text that the sizes were read from.
    public let description: String
    let smallest: Int
    let largest: Int
    private let parts: [Part]
    private let totalWeight: UInt64

    /// One size for all messages.
    /// - Throws: ``LoadFailure``, with the cause and the remedy.
    public init(bytes: Int) throws { try self.init("\(bytes)") }

    /// Reads `64`, `16..4096`, or sizes with weights: `64:90,1024:9,65536:1`.
    /// - Throws: ``LoadFailure``, with the cause and the remedy.
    public init(_ text: String) throws {
        description = text
        if let dots = text.firstRange(of: "..") {
            let low = try Self.size(text[..<dots.lowerBound], of: text)
            let high = try Self.size(text[dots.upperBound...], of: text)
            guard low <= high else {
                throw LoadFailure.usage("--size \(text): write the smaller number of bytes first")
            }
            parts = [Part(range: low...high)]
        } else if text.contains(":") {
            parts = try Self.weighted(text)
        } else {
            let size = try Self.size(text[...], of: text)
            parts = [Part(range: size...size)]
        }
        smallest = parts.reduce(.max) { min($0, $1.range.lowerBound) }
        largest = parts.reduce(0) { max($0, $1.range.upperBound) }
        totalWeight = UInt64(parts.reduce(0) { $0 + $1.weight })
    }

    private static func weighted(_ text: String) throws(LoadFailure) -> [Part] {
        var parts: [Part] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            let pair = part.split(separator: ":", omittingEmptySubsequences: false)
            guard pair.count == 2, let weight = Int(pair[1]), 1...mostWeight ~= weight else {
                throw LoadFailure.usage(
                    "--size \(text): write sizes with weights, as in 64:90,1024:10")
            }
            let size = try size(pair[0], of: text)
            parts.append(Part(range: size...size, weight: weight))
        }
        return parts
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

    /// - Parameter word: a different one for each message.
    @inline(__always)
    func size(of word: UInt64) -> Int { smallest == largest ? largest : variedSize(of: word) }

    private func variedSize(of word: UInt64) -> Int {
        var generator = SeededGenerator(state: word)
        let (random, chosen) = generator.next().quotientAndRemainder(dividingBy: totalWeight)
        var place = Int(chosen)
        for part in parts {
            if place < part.weight {
                return part.range.lowerBound + Int(random % UInt64(part.range.count))
            }
            place -= part.weight
        }
        return largest
    }
}
