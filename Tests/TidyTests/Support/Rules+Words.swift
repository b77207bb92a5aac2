import Glibc

/// Checks the vocabulary: the field's words in names, comments and documents.
extension Rules {
    /// A word that the project does not use, and its replacement.
    struct Replacement: Sendable {
        /// In lower case, at most eight letters: see `wordKey`.
        let word: String
        let instead: String
        /// Names and phrases that contain the word and mean something else.
        var exceptions: [String] = []
    }

    /// Single words, in a sentence or as a part of a name (`laneCount`).
    static let replacedWords = [
        Replacement(word: "lane", instead: "event loop"),
        Replacement(word: "lanes", instead: "event loops"),
        Replacement(word: "lease", instead: "loop state"),
        Replacement(word: "lend", instead: "hand off"),
        Replacement(word: "lends", instead: "hands off"),
        Replacement(word: "lent", instead: "handed off, borrowed"),
        Replacement(
            word: "job", instead: "work item",
            exceptions: ["ExecutorJob", "UnownedJob", "executorJob", "SwiftJob", "swiftJob"]),
        Replacement(word: "jobs", instead: "work items"),
        Replacement(word: "band", instead: "priority"),
        Replacement(word: "bands", instead: "priorities"),
        Replacement(
            word: "look", instead: "tick, sample, scan", exceptions: ["look up", "Look up"]),
        Replacement(
            word: "looks", instead: "ticks, samples, scans", exceptions: ["looks up", "Looks up"]),
        Replacement(word: "looked", instead: "sampled, scanned", exceptions: ["looked up"]),
        Replacement(word: "sight", instead: "sample"),
        Replacement(word: "visited", instead: "stealing"),
        Replacement(word: "stretch", instead: "coalescing batch"),
        Replacement(word: "guest", instead: "background client"),
        Replacement(word: "guests", instead: "background clients"),
        Replacement(word: "hub", instead: "shared reader", exceptions: ["GitHub"]),
        Replacement(word: "told", instead: "reported"),
        Replacement(word: "came", instead: "received, arrived"),
        Replacement(word: "anew", instead: "again"),
        Replacement(word: "chunk", instead: "receive buffer, piece"),
        Replacement(word: "chunks", instead: "receive buffers, pieces"),
    ]

    /// Names and phrases that are replaced as a whole. A phrase that ends in a letter does not
    /// match the beginning of a longer word.
    static let replacedPhrases = [
        "UringKernel", "EpollKernel", "UringReadinessKernel", "KernelFactory", "stand-in",
        "stand-ins", "spare worker", "spare workers", "what is out", "begun anew", "ReadinessWatch",
        "WatchList", "ListeningPoint", "EventThread", "sendsAtOnce", "finishSending",
        "RINGDISPATCH_LANES", "--lanes", "cring_", "CRing", "import Ring",
    ]

    static func replacedWords(in file: File) -> [String] {
        let isVocabulary = ["Rules+Words.swift", "WordsTests.swift"].contains {
            file.path.hasSuffix($0)
        }
        // Swift's own word for what a task does until it suspends.
        let isAboutJobs = ["RingConcurrency", "SwiftJob.swift"].contains { file.path.contains($0) }
        // Nearly all files are clean: one pass over all their bytes rules the lines out.
        if isVocabulary || !mayBeReplaced(terminated(file.text)) { return [] }
        return file.lines.indices.flatMap { index in
            replacedWords(in: file.lines[index])
                .filter { !isAboutJobs || !$0.hasPrefix("'job") }
                .map { "\(file.place(index)): \($0)" }
        }
    }

    static func replacedWords(in line: some StringProtocol) -> [String] {
        var rest = terminated(line)
        guard mayBeReplaced(rest) else { return [] }
        // Each match is blanked, so that a phrase hides the words and phrases within it.
        for exception in exceptions { blank(exception, in: &rest) }
        let phrases = longestFirst.filter { blank(terminated($0), in: &rest) }
        let words = wordKeys(rest)
        return replacedWords.filter { words.contains(wordKey($0.word.utf8)) }
            .map { "'\($0.word)': say \($0.instead)" } + phrases.map { "'\($0)'" }
    }

    private static let exceptions = replacedWords.flatMap(\.exceptions).map(terminated)
    private static let longestFirst = replacedPhrases.sorted { $0.utf8.count > $1.utf8.count }
    private static let phraseBytes = replacedPhrases.map(terminated)
    private static let replacedKeys = Set(replacedWords.map { wordKey($0.word.utf8) })

    /// The bytes as a C string. In a debug build strstr(3) is much faster than a search in Swift.
    private static func terminated(_ text: some StringProtocol) -> [UInt8] {
        Array(text.utf8) + [0]
    }

    /// Whether a word or a phrase is in the text; it may still be part of an exception.
    private static func mayBeReplaced(_ text: [UInt8]) -> Bool {
        !wordKeys(text).isDisjoint(with: replacedKeys)
            || phraseBytes.contains { position(of: $0, in: text, from: 0) != nil }
    }

    // MARK: words

    /// A word of at most eight letters, in lower case, as one integer. Comparing integers keeps the
    /// rule fast in a debug build.
    private static func wordKey(_ letters: some Sequence<UInt8>) -> UInt64 {
        letters.reduce(0) { $0 << 8 | UInt64($1 | 0x20) }
    }

    /// The keys of the words of at most eight letters. A name is split where its case changes:
    /// `laneCount` is `lane` and `count`, `HTTPJob` is `http` and `job`.
    private static func wordKeys(_ text: [UInt8]) -> Set<UInt64> {
        var keys: Set<UInt64> = []
        text.withUnsafeBufferPointer { bytes in
            var key: UInt64 = 0
            var length = 0
            var wasLower = false
            var index = 0
            let count = bytes.count
            while index < count {
                let byte = bytes[index]
                let isLower = byte >= 0x61 && byte <= 0x7a
                let isUpper = byte >= 0x41 && byte <= 0x5a
                index += 1
                if isUpper {
                    let isFollowedByLower =
                        index < count && bytes[index] >= 0x61 && bytes[index] <= 0x7a
                    if length > 0, wasLower || isFollowedByLower {
                        if length <= 8 { keys.insert(key) }
                        (key, length) = (0, 0)
                    }
                }
                if isLower || isUpper {
                    key = key &<< 8 | UInt64(byte | 0x20)
                    length += 1
                } else if length > 0 {
                    if length <= 8 { keys.insert(key) }
                    (key, length) = (0, 0)
                }
                wasLower = isLower
            }
            if length > 0, length <= 8 { keys.insert(key) }
        }
        return keys
    }

    // MARK: phrases

    /// Replaces a phrase by spaces where it is not part of a longer word. False if there is none.
    @discardableResult
    private static func blank(_ phrase: [UInt8], in text: inout [UInt8]) -> Bool {
        var isFound = false
        var start = 0
        while let place = position(of: phrase, in: text, from: start) {
            let end = place + phrase.count - 1
            start = end
            let isSuffix = place > 0 && isLetter(text[place - 1]) && isLetter(phrase[0])
            let isPrefix = isLetter(text[end]) && isLetter(phrase[phrase.count - 2])
            if isSuffix || isPrefix { continue }
            isFound = true
            for index in place..<end { text[index] = 0x20 }
        }
        return isFound
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte | 0x20)
    }

    private static func position(of phrase: [UInt8], in text: [UInt8], from start: Int) -> Int? {
        text.withUnsafeBytes { text in
            phrase.withUnsafeBytes { phrase in
                // Safety: both end in a zero, see `terminated`.
                let base = text.baseAddress!.assumingMemoryBound(to: CChar.self)
                let sought = phrase.baseAddress!.assumingMemoryBound(to: CChar.self)
                return strstr(base + start, sought).map { UnsafePointer($0) - base }
            }
        }
    }
}
