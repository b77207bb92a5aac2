import Testing

@testable import KeyValueServer

@Suite("Finding commands in what was received")
struct ParserTests {
    /// What a parser makes of bytes that arrive in pieces.
    private struct Parsed: Equatable {
        var commands: [[[UInt8]]] = []
        var error: String?
    }

    private func parse(_ pieces: [[UInt8]]) -> Parsed {
        var parser = RequestParser()
        var result = Parsed()
        var pending: [UInt8] = []
        for piece in pieces where result.error == nil {
            pending += piece
            let rest = pending.withUnsafeBytes { bytes in
                var input = bytes[...]
                do throws(Reply) {
                    while let request = try parser.next(&input) {
                        result.commands.append(request.map(\.array))
                    }
                } catch {
                    guard case .error(let text) = error else { return 0 }
                    result.error = text
                }
                return input.count
            }
            pending = Array(pending.suffix(rest))
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
        let expected = Parsed(commands: Self.words)
        #expect(parse([bytes]) == expected)
        #expect(parse(bytes.map { [$0] }) == expected)
        for first in 0...bytes.count {
            for second in stride(from: first, through: bytes.count, by: 7) {
                let pieces = [
                    Array(bytes[..<first]), Array(bytes[first..<second]), Array(bytes[second...]),
                ]
                guard parse(pieces) == expected else {
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
            let result = parse(pieces(of: bytes, &random))
            #expect(result == Parsed(commands: commands))
        }
    }

    @Test("nothing that a client sends is read differently in other pieces")
    func garbage() {
        var random = SeededGenerator(seed: 5)
        let alphabet = Array("*$\r\n\r\n0123456789-+ab\"'\\x \0".utf8)
        for _ in 0..<(isDeep ? 1000 : 200) {
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
            let whole = parse([bytes])
            for _ in 0..<4 {
                let pieces = pieces(of: bytes, &random)
                guard parse(pieces) == whole else {
                    Issue.record("\(pieces)")
                    return
                }
            }
        }
    }

    @Test(
        "what is not the protocol ends in an error",
        arguments: [
            ("*x\r\n", "invalid multibulk length"), ("*\r\n", "invalid multibulk length"),
            ("*01\r\n", "invalid multibulk length"), ("*+1\r\n", "invalid multibulk length"),
            ("*1048577\r\n", "invalid multibulk length"),
            ("*99999999999999999999\r\n", "invalid multibulk length"),
            ("*" + String(repeating: "1", count: 65_600), "too big mbulk count string"),
            ("*1\r\n$-1\r\n", "invalid bulk length"), ("*1\r\n$\r\n", "invalid bulk length"),
            ("*1\r\n$536870913\r\n", "invalid bulk length"),
            ("*1\r\n$18446744073709551617\r\n", "invalid bulk length"),
            ("*1\r\n$1 \r\n", "invalid bulk length"),
            ("*1\r\n$" + String(repeating: "1", count: 65_600), "too big bulk count string"),
            ("*1\r\n:1\r\n", "expected '$', got ':'"),
            ("*2\r\n$1\r\na\r\n\0", "expected '$', got '\0'"),
            ("GET \"a\r\n", "unbalanced quotes in request"),
            ("GET \"a\"b\r\n", "unbalanced quotes in request"),
            ("GET 'a\n", "unbalanced quotes in request"),
            (String(repeating: "a", count: 65_600), "too big inline request"),
        ])
    func errors(text: String, expected: String) {
        let bytes = Array(text.utf8)
        let error = "ERR Protocol error: " + expected
        #expect(parse([bytes]) == Parsed(error: error))
        #expect(parse(bytes.pieces(of: bytes.count > 1000 ? 7919 : 1)) == Parsed(error: error))
        // Nothing is read behind an error.
        #expect(parse([bytes + Self.conversation]).commands == [])
    }

    @Test("arrays without words are no commands", arguments: ["*0\r\n", "*-1\r\n"])
    func empty(text: String) {
        #expect(parse([Array((text + "PING\r\n").utf8)]).commands == [[], [Array("PING".utf8)]])
    }

    @Test("a line may have its greatest length, and not more")
    func inlineLimit() {
        let line = [UInt8](repeating: 0x61, count: Limits.lineBytes - 1)
        #expect(parse([line + [13, 10]]) == Parsed(commands: [[line]]))
        #expect(parse([line, [13], [10]]) == Parsed(commands: [[line]]))
        #expect(parse([line + [0x61, 13, 10]]).error != nil)
        #expect(parse([line, [0x61, 13], [10]]).error != nil)
    }

    @Test("a large string in many pieces")
    func largeString() {
        let word = [UInt8](repeating: 0x7a, count: isDeep ? 4 << 20 : 1 << 20)
        #expect(parse(encoded([word]).pieces(of: 60_000)) == Parsed(commands: [[word]]))
    }
}

extension [UInt8] {
    fileprivate func pieces(of count: Int) -> [[UInt8]] {
        stride(from: 0, to: self.count, by: count).map {
            Array(self[$0..<Swift.min($0 + count, self.count)])
        }
    }
}
