import Testing

@testable import RingDispatch

@Suite("The arrival pattern of an event loop's completions")
struct ArrivalPatternTests {
    private func pattern(_ senders: [UInt64]) -> ArrivalPattern {
        var pattern = ArrivalPattern()
        for sender in senders { pattern.note(sender) }
        return pattern
    }

    @Test("One sender, or two in turn, are a round trip", arguments: [1, 2])
    func few(senders: Int) {
        #expect(pattern((0..<100).map { UInt64($0 % senders + 1) }).isRoundTrip)
    }

    @Test("Many senders are none", arguments: [3, 4, 64, 1000])
    func many(senders: Int) {
        #expect(!pattern((0..<100).map { UInt64($0 % senders + 1) }).isRoundTrip)
    }

    @Test("Senders that come at random are none, though some come twice in a row")
    func random() {
        var generator = SystemRandomNumberGenerator()
        var pattern = ArrivalPattern()
        var roundTrips = 0
        for _ in 0..<10_000 {
            pattern.note(UInt64.random(in: 1...8, using: &generator))
            if pattern.isRoundTrip { roundTrips += 1 }
        }
        #expect(roundTrips < 100)
    }

    @Test("All other threads of the process count as one sender")
    func threads() {
        #expect(pattern(Array(repeating: ArrivalPattern.threads, count: 3)).isRoundTrip)
        let answered = (0..<100).map { $0 % 2 == 0 ? ArrivalPattern.threads : 7 }
        #expect(pattern(answered).isRoundTrip)
    }

    @Test("A stream of bytes is no round trip, until events of one sender follow")
    func stream() {
        var pattern = pattern(Array(repeating: 1, count: 100))
        for _ in 0..<3 { pattern.noteIndependent() }
        #expect(!pattern.isRoundTrip)
        for _ in 0..<20 { pattern.note(1) }
        #expect(pattern.isRoundTrip)
    }
}
