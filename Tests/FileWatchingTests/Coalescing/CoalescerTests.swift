import SystemPackage
import Testing

@testable import FileWatching

/// The coalesced changes of a window. A line is `created a` or `renamed a b`; a folder's path ends
/// in a slash; a change that replaces an entry ends in `!`; a change of a whole subtree starts with
/// `*`.
@Suite("Coalescing")
struct CoalescerTests {
    @Test(
        "changes of a window are merged",
        arguments: [
            (["created a", "modified a", "attributes a"], ["created a"]),
            (["created a", "removed a"], []),
            (["created a", "modified a", "removed a", "created a"], ["created a"]),
            (["removed a", "created a"], ["modified a"]),
            (["removed a", "created a/"], ["removed a", "created a/"]),
            (["modified a", "modified a", "attributes a"], ["modified a"]),
            (["attributes a", "attributes a"], ["attributes a"]),
            (["modified a", "removed a"], ["removed a"]),
            (["removed a", "created a", "removed a"], ["removed a"]),
            (["renamed a b", "renamed b c"], ["renamed a c"]),
            (["renamed a b", "renamed b a"], []),
            (["renamed a b", "modified b"], ["renamed a b", "modified b"]),
            (["renamed a b", "removed b"], ["removed a"]),
            (["renamed a b", "created a/", "removed b"], ["removed a", "created a/"]),
            (["created a", "renamed a b"], ["created b"]),
            (["created t", "modified t", "renamed t a !"], ["modified a"]),
            (["renamed a a~", "created a", "modified a", "removed a~"], ["modified a"]),
            (["renamed a b !"], ["renamed a b"]),
            (["created t/", "renamed t/ a/ !"], ["removed a", "created a/"]),
            (["renamed a b", "created a"], ["renamed a b", "created a"]),
            (
                ["renamed t u", "renamed a t", "renamed u a"],
                ["renamed t u", "renamed a t", "renamed u a"]
            ),
            (["created d/", "created d/x", "renamed d/x y", "removed d/"], ["created y"]),
            (["removed d/x", "removed d/"], ["removed d/x", "removed d/"]),
            (
                ["renamed d/a b", "removed d/", "renamed b c"],
                ["renamed d/a b", "removed d/", "renamed b c"]
            ),
            (
                ["created a", "*renamed d/ e/", "removed a"],
                ["created a", "renamed d/ e/", "removed a"]
            ),
            (["*renamed d/ e/", "*renamed e/ f/"], ["renamed d/ f/"]),
            (["*renamed d/ e/", "*renamed e/ f/ !"], ["renamed d/ f/"]),
            (["*renamed d/ e/ !", "*renamed e/ f/"], ["renamed d/ e/", "renamed e/ f/"]),
            (
                ["*renamed d/ e/", "*renamed e/ f/ !", "*renamed f/ g/"],
                ["renamed d/ f/", "renamed f/ g/"]
            ),
            (["renamed a b !", "*renamed b c !"], ["renamed a b", "renamed b c"]),
            (["*removed d/", "created d/"], ["removed d/", "created d/"]),
        ] as [([String], [String])])
    func merging(changes: [String], merged: [String]) {
        let coalescer = Coalescer()
        for line in changes {
            let (change, isWhole, replaces) = parse(line)
            coalescer.add(change, isWhole: isWhole, replaced: replaces ? .file : nil)
        }
        #expect(coalescer.flush().map(text) == merged)
        #expect(coalescer.flush().isEmpty, "nothing is reported twice")
    }

    private func parse(_ line: String) -> (FileChange, isWhole: Bool, replaces: Bool) {
        var words = line.split(separator: " ").map(String.init)
        let isWhole = words[0].hasPrefix("*")
        if isWhole { words[0].removeFirst() }
        let replaces = words.last == "!"
        if replaces { words.removeLast() }
        let isFolder = words[words.count - 1].hasSuffix("/")
        let change = FileChange(
            sequence: 0, timeNanoseconds: 0, action: FileChange.Action(rawValue: words[0])!,
            path: FilePath(words[words.count - 1]),
            previousPath: words.count > 2 ? FilePath(words[1]) : nil,
            kind: isFolder ? .directory : .file)
        return (change, isWhole, replaces)
    }

    private func text(_ change: FileChange) -> String {
        let slash = change.kind == .directory ? "/" : ""
        let from = change.previousPath.map { "\($0)\(slash) " } ?? ""
        return "\(change.action.rawValue) \(from)\(change.path)\(slash)"
    }
}
