extension Rules {
    /// The public top-level names of a file, without unavailable ones, which exist only for their
    /// message.
    static func publicNames(_ file: File) -> [String] {
        file.code.indices.compactMap { index in
            guard let name = publicName(file.code[index]) else { return nil }
            let attributes = file.code[..<index].reversed().prefix { line in
                !line.isEmpty && line.last != "}"
            }
            let isHint = attributes.contains { $0.contains("unavailable") }
            return isHint ? nil : name
        }
    }

    /// Public functions that declare the type of what they throw. A caller's error (`throws(E)`
    /// with a generic `Failure`) is not the library's.
    static func typedPublicThrows(_ file: File) -> [String] {
        file.code.indices.filter { index in
            let line = file.code[index]
            guard line.contains("throws("), !line.contains("throws(Failure)") else { return false }
            let declaration = file.code[...index].last { line in
                line.split { !$0.isLetter }.contains { $0 == "func" || $0 == "init" || $0 == "do" }
            }
            return declaration?.contains("public ") == true
        }
        .map { "\(file.place($0)): write `throws`, and name the error in the comment" }
    }

    private static let publicKinds: Set<Substring> = [
        "struct", "class", "enum", "protocol", "actor", "typealias", "func", "var", "let",
    ]

    /// The name in `public final class Name: ...`, `public func + (...)`, `@frozen public struct
    /// Name {`.
    private static func publicName(_ line: Substring) -> String? {
        guard line.first?.isWhitespace == false else { return nil }
        let words = line.split(separator: " ")
        guard let kind = words.firstIndex(where: { publicKinds.contains($0) }),
            kind + 1 < words.count,
            words[..<kind].contains(where: { $0 == "public" || $0 == "open" })
        else { return nil }
        return String(words[kind + 1].prefix { !"(<:=".contains($0) })
    }
}
