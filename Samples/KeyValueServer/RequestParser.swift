import Glibc

/// The words of a command, the first of which is its name.
typealias Request = [Bytes]

/// Finds commands in received bytes: arrays of strings (`*2\r\n$3\r\nGET\r\n$1\r\nk\r\n`) or inline
/// commands, which are plain lines (`GET k\r\n`).
struct RequestParser {
    typealias Input = Slice<UnsafeRawBufferPointer>
    private var words: Request = []
    /// Words still to read, and the length of the next one; nil: that number is still to read.
    private var (missingWords, wordLength) = (Int?.none, Int?.none)
    private var commandBytes = 0

    /// Takes a command from the front of `input`; nil: its end has not arrived. Then the next call
    /// needs what is left of `input`, and more. After an error the connection must close.
    mutating func next(_ input: inout Input) throws(Reply) -> Request? {
        guard let first = input.first else { return nil }
        if missingWords == nil {
            guard first == UInt8(ascii: "*") else { return try Self.readLine(&input) }
            commandBytes = 0
            missingWords = try Self.readLength(
                &input, "multibulk length", "mbulk count", .min...Limits.words)
            words.reserveCapacity(4)
        }
        while let missing = missingWords, missing > 0 {
            if wordLength == nil, let first = input.first {
                guard first == UInt8(ascii: "$") else {
                    throw .protocolError("expected '$', got '\(UnicodeScalar(first))'")
                }
                wordLength = try Self.readLength(
                    &input, "bulk length", "bulk count", 0...Limits.wordBytes)
                commandBytes += wordLength ?? 0
                if commandBytes > Limits.commandBytes { throw .protocolError("too big command") }
            }
            // Like Redis, this does not check the line end after the word.
            guard let length = wordLength, input.count >= length + 2 else { return nil }
            words.append(Bytes(array: Array(input.prefix(length))))
            input = input.dropFirst(length + 2)
            (wordLength, missingWords) = (nil, missing - 1)
        }
        // The parser keeps nothing of the command, which may be long: the client may now be idle.
        defer { (words, missingWords) = ([], nil) }
        return missingWords == nil ? nil : words
    }

    /// Takes a line such as `$3`; nil: it is not complete.
    private static func readLength(
        _ input: inout Input, _ name: String, _ shortName: String, _ range: ClosedRange<Int>
    ) throws(Reply) -> Int? {
        let digits = part(of: input.dropFirst(), before: UInt8(ascii: "\r"))
        guard digits.count < Limits.lineBytes else {
            throw .protocolError("too big \(shortName) string")
        }
        guard input.count >= digits.count + 3 else { return nil }
        guard let length = Int(decimal: digits), range ~= length else {
            throw .protocolError("invalid \(name)")
        }
        input = input.dropFirst(digits.count + 3)
        return length
    }

    /// The bytes before the first `end`, or all. Fast: a line that arrives byte by byte is scanned
    /// as often.
    private static func part(of input: Input, before end: UInt8) -> Input {
        let bytes = UnsafeRawBufferPointer(rebasing: input)
        guard let start = bytes.baseAddress, let found = memchr(start, Int32(end), bytes.count)
        else { return input }
        return input.prefix(UnsafeRawPointer(found) - start)
    }

    private static func readLine(_ input: inout Input) throws(Reply) -> Request? {
        let line = part(of: input, before: UInt8(ascii: "\n"))
        guard line.count <= Limits.lineBytes else { throw .protocolError("too big inline request") }
        guard line.endIndex < input.endIndex else { return nil }
        input = input.dropFirst(line.count + 1)
        return try split(line)
    }

    /// Splits a line at spaces that are not between quotes.
    private static func split(_ line: Input) throws(Reply) -> Request {
        var (words, word, quote) = (Request(), [UInt8](), UInt8?.none)
        // An empty word is one only between quotes.
        var hasWord = false
        var rest = line
        while let byte = rest.popFirst() {
            if quote == nil, isSpace(byte) {
                if hasWord { words.append(Bytes(array: word)) }
                (word, hasWord) = ([], false)
            } else if byte == quote {
                guard rest.first.map(isSpace) ?? true else { break }
                quote = nil
            } else if quote == nil, byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") {
                (hasWord, quote) = (true, byte)
            } else {
                word.append(unescape(byte, quote, &rest))
                hasWord = true
            }
        }
        guard quote == nil else { throw .protocolError("unbalanced quotes in request") }
        if hasWord { words.append(Bytes(array: word)) }
        return words
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0 || 9...13 ~= byte || byte == 32 }

    private static let escapes = Dictionary(
        uniqueKeysWithValues: zip("nrtba".utf8, "\n\r\t\u{8}\u{7}".utf8))

    /// What `byte` stands for, if it is a backslash between quotes, with what follows it.
    private static func unescape(_ byte: UInt8, _ quote: UInt8?, _ rest: inout Input) -> UInt8 {
        guard byte == UInt8(ascii: "\\"), let quote, let next = rest.first,
            quote == UInt8(ascii: "\"") || next == quote
        else { return byte }
        rest.removeFirst()
        guard quote == UInt8(ascii: "\"") else { return next }
        let digits = rest.prefix(2).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard next == UInt8(ascii: "x"), digits.count == 2 else { return escapes[next] ?? next }
        rest.removeFirst(2)
        return UInt8(digits[0] * 16 + digits[1])
    }
}
