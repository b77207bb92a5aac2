import Glibc

/// A key, a value, or another word of a command. Swift seeds the hash at random, so clients cannot
/// choose keys that collide.
struct Bytes: Hashable {
    var array: [UInt8]

    static func == (left: Bytes, right: Bytes) -> Bool {
        left.count == right.count && memcmp(left.array, right.array, left.count) == 0
    }

    func hash(into hasher: inout Hasher) { array.withUnsafeBytes { hasher.combine(bytes: $0) } }

    var count: Int { array.count }
    /// The beginning, for messages.
    var text: String { String(decoding: array.prefix(128), as: UTF8.self) }
    /// The name of a command or an option, in lower case.
    var name: String { text.lowercased() }
    var integer: Int? { Int(decimal: array) }
}

extension Int {
    /// Accepts no plus sign, spaces or leading zeros.
    init?(decimal text: some Collection<UInt8>) {
        let isNegative = text.first == UInt8(ascii: "-")
        let digits = text.dropFirst(isNegative ? 1 : 0)
        guard let first = digits.first, first != 0x30 || text.count == 1 else { return nil }
        self = 0
        for byte in digits {
            let digit = Int(byte) - 0x30
            let (tens, isTooBig) = multipliedReportingOverflow(by: 10)
            let (sum, isOver) = tens.addingReportingOverflow(isNegative ? -digit : digit)
            guard digit >= 0, digit <= 9, !isTooBig, !isOver else { return nil }
            self = sum
        }
    }
}
