import Testing

@testable import KeyValueStore

@Suite("Finding commands in what was received")
struct ParserTests {
    /// What a parser makes of bytes that arrive in pieces.
    private struct Parsed: Equatable {
        var commands: [[[UInt8]]] = []
        var error: ProtocolError?
    }

    private func limits(_ change: (inout StoreConfiguration) -> Void = { _ in }) -> ParserLimits {
        var configuration = StoreConfiguration()
        change(&configuration)
        return ParserLimits(configuration)
    }

    private func parse(_ pieces: [[UInt8]], _ limits: ParserLimits) -> Parsed {
        var parser = RESPParser(limits: limits)
        var result = Parsed()
        for piece in pieces {
            withBorrowed(piece) { bytes in
                var input = bytes
                while true {
                    switch parser.next(&input) {
                    case .command(let start):
                        let request = Request(start: start, arguments: parser.arguments.all)
                        result.commands.append((0..<request.count).map { Array(request[$0]) })
                        continue
                    case .incomplete:
                        #expect(input.isEmpty)
                    case .failed(let error):
                        result.error = error
                    }
                    break
                }
            }
        }
        return result
    }

    /// The bytes cut at random places.
    private func pieces(of bytes: [UInt8], _ random: inout SeededGenerator) -> [[UInt8]] {
        var rest = bytes[...]
        var result: [[UInt8]] = []
        let longest = [1, 3, 10, 100, 5000].randomElement(using: &random)!
        while !rest.isEmpty {
            let count = Int.random(in: 1...longest, using: &random)
            result.append(Array(rest.prefix(count)))
            rest = rest.dropFirst(count)
        }
        return result
    }

    private static let conversation: [UInt8] =
        encoded(["SET", "key", "value"]) + encoded(["GET", ""]) + Array("PING\r\n".utf8)
        + Array("*0\r\n".utf8) + encoded([[0, 13, 10, 255], [13, 10], Array("*1\r\n$4".utf8)])
        + Array("\r\nset  a \"b \\x41\\n\" 'c\\'d'\n".utf8) + encoded(["ECHO", "end"])

    private static let words: [[[UInt8]]] = [
        [Array("SET".utf8), Array("key".utf8), Array("value".utf8)],
        [Array("GET".utf8), []],
        [Array("PING".utf8)],
        [],
        [[0, 13, 10, 255], [13, 10], Array("*1\r\n$4".utf8)],
        [],
        [Array("set".utf8), Array("a".utf8), Array("b A\n".utf8), Array("c'd".utf8)],
        [Array("ECHO".utf8), Array("end".utf8)],
    ]

    @Test("commands are found wherever the bytes are cut in two or three")
    func everyCut() {
        let bytes = Self.conversation
        let limits = limits()
        let expected = Parsed(commands: Self.words)
        #expect(parse([bytes], limits) == expected)
        #expect(parse(bytes.map { [$0] }, limits) == expected)
        for first in 0...bytes.count {
            for second in stride(from: first, through: bytes.count, by: 7) {
                let pieces = [
                    Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...]),
                ]
                guard parse(pieces, limits) == expected else {
                    Issue.record("cut at \(first) and \(second)")
                    return
                }
            }
        }
    }

    @Test("random commands come out as they went in, whatever the pieces")
    func randomCommands() {
        var random = SeededGenerator(seed: 4)
        for _ in 0..<60 {
            let commands = (0..<Int.random(in: 1...5, using: &random)).map { _ in
                (0..<Int.random(in: 1...6, using: &random)).map { _ in
                    let count = [0, 1, 5, 9, 10, 99, 100, 3000].randomElement(using: &random)!
                    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
                }
            }
            let bytes = commands.flatMap { encoded($0) }
            let result = parse(pieces(of: bytes, &random), limits())
            #expect(result == Parsed(commands: commands))
        }
    }

    @Test("nothing that a client sends is read differently in other pieces")
    func garbage() {
        var random = SeededGenerator(seed: 5)
        let limits = limits {
            $0.maxInlineBytes = 50
            $0.maxBulkBytes = 60
            $0.maxCommandBytes = 100
            $0.maxArguments = 5
        }
        let alphabet = Array("*$\r\n\r\n0123456789-+ab\"'\\x \0".utf8)
        for _ in 0..<1000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 1...6, using: &random) {
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bytes += encoded(["SET", "key", "value"])
                case 1: bytes += Array("PING x\r\n".utf8)
                case 2: bytes += Array("*2\r\n$3\r\nGET\r\n$".utf8)
                default:
                    for _ in 0..<Int.random(in: 1...80, using: &random) {
                        bytes.append(alphabet.randomElement(using: &random)!)
                    }
                }
            }
            let whole = parse([bytes], limits)
            for _ in 0..<4 {
                let pieces = pieces(of: bytes, &random)
                guard parse(pieces, limits) == whole else {
                    Issue.record("\(pieces)")
                    return
                }
            }
        }
    }

    @Test(
        "what is not the protocol ends in an error",
        arguments: [
            ("*-1\r\n", .invalidMultibulkLength), ("*x\r\n", .invalidMultibulkLength),
            ("*\r\n", .invalidMultibulkLength), ("*01\r\n", .invalidMultibulkLength),
            ("*1\n", .invalidMultibulkLength), ("*+1\r\n", .invalidMultibulkLength),
            ("*1048577\r\n", .invalidMultibulkLength),
            ("*99999999999999999999\r\n", .invalidMultibulkLength),
            ("*11111111111111111111111111111", .tooBigCount),
            ("*1\r\n$-1\r\n", .invalidBulkLength), ("*1\r\n$536870913\r\n", .invalidBulkLength),
            ("*1\r\n$18446744073709551617\r\n", .invalidBulkLength),
            ("*1\r\n$\r\n", .invalidBulkLength), ("*1\r\n$1 \r\n", .invalidBulkLength),
            ("*1\r\n$11111111111111111111111111111", .tooBigBulkCount),
            ("*1\r\n:1\r\n", .unexpectedByte(0x3a)), ("*2\r\n$1\r\na\r\n\0", .unexpectedByte(0)),
            ("*1\r\n$1\r\nabc", .missingLineEnd), ("*1\r\n$1\r\na\n\n", .missingLineEnd),
            ("GET \"a\r\n", .unbalancedQuotes), ("GET \"a\"b\r\n", .unbalancedQuotes),
            ("GET 'a\n", .unbalancedQuotes),
        ] as [(String, ProtocolError)])
    func errors(text: String, expected: ProtocolError) {
        let bytes = Array(text.utf8)
        #expect(parse([bytes], limits()) == Parsed(error: expected))
        #expect(parse(bytes.map { [$0] }, limits()) == Parsed(error: expected))
        // Nothing is read behind an error.
        #expect(parse([bytes + Self.conversation], limits()).commands == [])
    }

    @Test("a typed line may have its greatest length, and not more")
    func inlineLimit() {
        let limits = limits { $0.maxInlineBytes = 20 }
        let line = [UInt8](repeating: 0x61, count: 20)
        #expect(parse([line + [13, 10]], limits) == Parsed(commands: [[line]]))
        #expect(parse([line, [13], [10]], limits) == Parsed(commands: [[line]]))
        #expect(parse([line + line], limits).error == .tooBigInlineRequest)
        #expect(parse((line + line).map { [$0] }, limits).error == .tooBigInlineRequest)
    }

    @Test("a command may have its greatest length, and not more")
    func commandLimit() {
        let limits = limits { $0.maxCommandBytes = 200 }
        let words = { (count: Int) in ["ECHO", String(repeating: "a", count: count)] }
        #expect(parse([encoded(words(150))], limits).error == nil)
        #expect(parse([encoded(words(190))], limits).error == .tooBigCommand)
    }

    @Test("a count that is announced takes no memory, only bytes that have come")
    func announcements() {
        var parser = RESPParser(limits: limits())
        let head = Array("*1048576\r\n$536870912\r\nab".utf8)
        head.withUnsafeBytes { bytes in
            var input = bytes
            guard case .incomplete = parser.next(&input) else {
                Issue.record("not incomplete")
                return
            }
        }
        #expect(parser.pendingCount == head.count)
        #expect(parser.pendingCapacity < 4096)
        #expect(parser.arguments.all.count == 0)
    }

    @Test("a large string in many pieces is copied a few times at most")
    func largeString() {
        let size = 4 << 20
        let word = [UInt8](repeating: 0x7a, count: size)
        let bytes = encoded([word])
        var parser = RESPParser(limits: limits())
        var found = 0
        var reallocations = 0
        var capacity = 0
        for start in stride(from: 0, to: bytes.count, by: 1000) {
            bytes[start..<min(start + 1000, bytes.count)].withUnsafeBytes { piece in
                var input = piece
                while case .command = parser.next(&input) {
                    found += parser.arguments.all[0].count
                }
            }
            if parser.pendingCapacity != capacity {
                reallocations += 1
                capacity = parser.pendingCapacity
            }
        }
        #expect(found == size)
        #expect(reallocations < 20)
        #expect(capacity <= 64 << 10, "the memory is given back")
    }
}
