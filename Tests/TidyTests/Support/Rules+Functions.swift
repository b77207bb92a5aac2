extension Rules {
    /// Functions with too many lines, from the declaration to the closing brace.
    static func longFunctions(_ file: File) -> [String] {
        functions(file).filter { $0.lines > longestFunctionLines }
            .map { "\(file.place($0.start)): \($0.lines) lines" }
    }

    static func functions(_ file: File) -> [(start: Int, lines: Int)] {
        file.code.indices.compactMap { start in
            guard declaresFunction(file.code[start]) else { return nil }
            return end(from: start, in: file.code).map { (start, $0 - start + 1) }
        }
    }

    private static let statements: Set<Substring> = ["let", "var", "return", "case", "try"]

    private static func declaresFunction(_ line: Substring) -> Bool {
        let names: Set<Substring> = ["func", "init", "deinit", "subscript"]
        // `.init(...)`, `self.init` and `case init` are calls or names, not declarations.
        let words = line.split(separator: " ").prefix { $0.first != "." }
        for word in words {
            let name = word.prefix { $0.isLetter }
            if names.contains(name) { return true }
            // Only modifiers and attributes precede the keyword.
            let isModifier = word.allSatisfy { $0.isLetter || "@_()".contains($0) }
            if !isModifier || statements.contains(word) { return false }
        }
        return false
    }

    /// The line of the closing brace of the body that opens after `start`. Nil if there is no body
    /// before the next declaration, as in a protocol.
    private static func end(from start: Int, in code: [Substring]) -> Int? {
        var braces = 0
        var parentheses = 0
        var hasBody = false
        for index in start..<code.count {
            let isNext = index > start && !hasBody && parentheses == 0
            if isNext, declaresFunction(code[index]) { return nil }
            for byte in code[index].utf8 {
                switch byte {
                case UInt8(ascii: "("): parentheses += 1
                case UInt8(ascii: ")"): parentheses -= 1
                case UInt8(ascii: "{"):
                    braces += 1
                    if parentheses == 0 { hasBody = true }
                case UInt8(ascii: "}"):
                    braces -= 1
                    if braces < 0 { return nil }
                    if hasBody, braces == 0 { return index }
                default: break
                }
            }
        }
        return nil
    }
}
