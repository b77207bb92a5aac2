import TestSupport
import Testing

@testable import LinuxPlatform

/// Times are in milliseconds.
@Suite("A log line that comes again and again", .watchdog)
struct RepeatedLineTests {
    private let repeated = RepeatedLine()

    private func line(at time: UInt64, _ message: String = "no thread") -> String? {
        repeated.line({ message }, at: time * 1_000_000)
    }

    @Test("The first is written at once, another only after a second")
    func onceASecond() {
        #expect(line(at: 5000) == "no thread")
        #expect(line(at: 6000) == "no thread")
        #expect(line(at: 6000) == nil)
        #expect(line(at: 6999) == nil)
        #expect(line(at: 7500) == "no thread (2 more such lines were left out)")
    }

    @Test("The second begins with the line that was written, not with those left out")
    func startOfTheSecond() {
        #expect(line(at: 5000) != nil)
        #expect(line(at: 5900) == nil)
        #expect(line(at: 6000, "still none") == "still none (1 more such lines were left out)")
    }

    @Test("Lines left out are counted once")
    func countedOnce() {
        #expect(line(at: 1000) != nil)
        #expect(line(at: 1001) == nil)
        #expect(line(at: 2000) == "no thread (1 more such lines were left out)")
        #expect(line(at: 3000) == "no thread")
    }

    @Test("The message of a line that is left out is not made")
    func lazyMessage() {
        #expect(line(at: 1000) != nil)
        let made = Watched(0)
        let message = {
            made.increment()
            return "no thread"
        }
        #expect(repeated.line(message, at: 1_500_000_000) == nil)
        #expect(made.value == 0)
    }

    @Test("Of the lines of many threads at one time, one is written, and the others are counted")
    func manyThreads() {
        let written = Watched<[String]>([])
        let (threads, seconds) = (4, 20_000)
        let start = Gate()
        let ready = Watched(0)
        onThreads(threads) { _ in
            if ready.increment() == threads { start.open() }
            start.pass()
            for second in 1...seconds {
                guard let text = line(at: UInt64(second) * 1000) else { continue }
                written.append(text)
            }
        }
        #expect(written.value.count <= seconds)
        // All that were left out are counted by now.
        if let last = line(at: UInt64(seconds + 1) * 1000) { written.append(last) }
        let leftOut = written.value.compactMap { text -> Int? in
            guard let start = text.firstIndex(of: "(") else { return nil }
            return Int(text[start...].dropFirst().prefix { $0 != " " })
        }
        let counted = written.value.count + leftOut.reduce(0, +)
        #expect(counted == threads * seconds + 1)
    }
}
