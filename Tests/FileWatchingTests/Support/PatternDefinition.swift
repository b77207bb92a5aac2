/// What a pattern matches, as a search that tries everything: exponential, for short texts only.
struct PatternDefinition {
    private let pattern: [Character]
    private let isForNames: Bool

    init(_ pattern: String) {
        isForNames = !pattern.contains("/")
        self.pattern = Array(pattern.first == "/" ? pattern.dropFirst() : pattern[...])
    }

    func matches(_ path: String) -> Bool {
        let name = path.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
        return fits(0, Array(isForNames ? name : path[...])[...])
    }

    private func fits(_ place: Int, _ text: ArraySlice<Character>) -> Bool {
        guard place < pattern.count else { return text.isEmpty }
        switch pattern[place] {
        case "*": return stars(place, text)
        case "?": return one(text, place + 1) { _ in true }
        case "[":
            let end = pattern[place...].firstIndex(of: "]") ?? pattern.count
            let members = pattern[(place + 1)..<end]
            return one(text, end + 1) { members.contains($0) != (members.first == "!") }
        case "\\": return text.first == pattern[place + 1] && fits(place + 2, text.dropFirst())
        case let other: return text.first == other && fits(place + 1, text.dropFirst())
        }
    }

    private func one(
        _ text: ArraySlice<Character>, _ next: Int, _ isIn: (Character) -> Bool
    ) -> Bool {
        guard let first = text.first, first != "/", isIn(first) else { return false }
        return fits(next, text.dropFirst())
    }

    private func stars(_ place: Int, _ text: ArraySlice<Character>) -> Bool {
        var end = place
        while end < pattern.count, pattern[end] == "*" { end += 1 }
        let isBegun = place == 0 || pattern[place - 1] == "/"
        let isEnded = end == pattern.count || pattern[end] == "/"
        guard end - place > 1, isBegun, isEnded else {
            let longest = text.prefix { $0 != "/" }.count
            return (0...longest).contains { fits(end, text.dropFirst($0)) }
        }
        if end == pattern.count { return !text.isEmpty }
        let starts = [text.startIndex] + text.indices.filter { text[$0] == "/" }.map { $0 + 1 }
        return starts.contains { fits(end + 1, text[$0...]) }
    }
}
