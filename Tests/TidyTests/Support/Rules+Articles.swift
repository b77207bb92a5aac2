extension Rules {
    /// The snippets that an article shows, as paths of files.
    static func shownSnippets(_ article: File) -> [String] {
        let folders = ["ring-dispatch": "Snippets", "ring-dispatch-samples": "Samples/Snippets"]
        return article.lines.filter { $0.hasPrefix("@Snippet(path: \"") }.map { line in
            let path = line.split(separator: "\"")[1].split(separator: "/")
            return "\(folders[String(path[0])] ?? "?")/\(path.last ?? "").swift"
        }
    }

    /// An article shows at least one program, and no code that nothing compiles: only snippets, and
    /// parts of a Package.swift.
    static func uncompiledCode(_ article: File, exists: (String) -> Bool) -> [String] {
        let shown = shownSnippets(article)
        let missing = shown.filter { !exists($0) }.map { "\(article.path): no file \($0)" }
        let uncompiled = examples(article).filter { !$0.contains(".package(") }
            .map { "\(article.path): make a snippet of \($0.prefix { $0 != "\n" })" }
        return (shown.isEmpty ? ["\(article.path): shows no snippet"] : []) + missing + uncompiled
    }
}
