/// A line of a message's head, or a part of one, as the bytes that came: a String for each would
/// cost more than the message.
struct HeaderBytes {
    // Safety: used while the bytes that it was made of are there.
    let bytes: UnsafeRawBufferPointer

    var isEmpty: Bool { bytes.isEmpty }

    /// For what is told of it.
    var text: String { String(decoding: bytes.prefix(40), as: UTF8.self) }

    /// Ends before the first byte that `isEnd` is true of.
    func prefix(until isEnd: (UInt8) -> Bool) -> HeaderBytes {
        HeaderBytes(bytes: UnsafeRawBufferPointer(rebasing: bytes.prefix { !isEnd($0) }))
    }

    func dropFirst(_ count: Int) -> HeaderBytes {
        HeaderBytes(bytes: UnsafeRawBufferPointer(rebasing: bytes.dropFirst(count)))
    }

    /// Without the spaces and tabs around it.
    var trimmed: HeaderBytes {
        var rest = bytes[...]
        while let first = rest.first, HeaderBytes.isSpace(first) { rest.removeFirst() }
        while let last = rest.last, HeaderBytes.isSpace(last) { rest.removeLast() }
        return HeaderBytes(bytes: UnsafeRawBufferPointer(rebasing: rest))
    }

    func hasPrefix(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes.starts(with: $0) }
    }

    /// - Parameter text: in lower case, as which the line's letters are taken, too.
    func equals(_ text: StaticString) -> Bool {
        bytes.count == text.utf8CodeUnitCount && hasSuffix(text)
    }

    func hasSuffix(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { text in
            bytes.count >= text.count
                && zip(bytes.suffix(text.count), text).allSatisfy {
                    HeaderBytes.lowercased($0) == $1
                }
        }
    }

    /// A number without a sign, of at most 15 digits.
    func number(radix: UInt8 = 10) -> Int? {
        guard 1...15 ~= bytes.count else { return nil }
        var value = 0
        for byte in bytes {
            let digit: UInt8 =
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
                case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
                case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
                default: .max
                }
            guard digit < radix else { return nil }
            value = value * Int(radix) + Int(digit)
        }
        return value
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
}
