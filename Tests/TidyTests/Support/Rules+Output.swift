extension Rules {
    /// Places that print into a buffer and go on: unless the output is a terminal, nobody sees it
    /// until the program ends, and never if a signal ends it. Programs that print and end are fine.
    static func bufferedOutput(_ file: File) -> [String] {
        let texts = file.path.hasSuffix(".md") ? examples(file) : [file.text]
        // Snippets show something with their handlers, and end.
        let isSnippet = file.path.contains("Snippets/")
        let ends = isSnippet ? ["exit("] : []
        let handlers = isSnippet ? [] : ["Handler {"]
        let isBuffered = texts.contains { text in
            let marks = ["dispatchMain()", "writeLine(", "\nawait listener.run"] + handlers
            let goesOn = marks.contains { text.contains($0) }
            let isFlushed = (["setlinebuf(stdout)", "fflush("] + ends).contains {
                text.contains($0)
            }
            return text.contains("print(") && goesOn && !isFlushed
        }
        return isBuffered ? ["\(file.path): add setlinebuf(stdout) or fflush(nil)"] : []
    }

    /// The blocks of Swift code in a document.
    static func examples(_ file: File) -> [String] {
        file.text.split(separator: "```swift\n").dropFirst().map { block in
            String(block.prefix(upTo: block.firstRange(of: "\n```")?.lowerBound ?? block.endIndex))
        }
    }
}
