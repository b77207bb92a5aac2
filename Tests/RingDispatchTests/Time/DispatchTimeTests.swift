import RingDispatch
import Testing

@Suite("DispatchTime")
struct DispatchTimeTests {
    @Test("69. now advances and never goes back")
    func now() {
        let first = DispatchTime.now()
        letTimePass(milliseconds: 2)
        let second = DispatchTime.now()
        #expect(second.uptimeNanoseconds >= first.uptimeNanoseconds + 2_000_000)
        #expect(first.rawValue == first.uptimeNanoseconds)
    }

    @Test("75. Times compare by their order, and nothing is after the distant future")
    func order() {
        let time = DispatchTime(uptimeNanoseconds: 1000)
        #expect(time < DispatchTime(uptimeNanoseconds: 1001))
        #expect(time == DispatchTime(uptimeNanoseconds: 1000))
        #expect(time < .now())
        #expect(DispatchTime.now() < .distantFuture)
        #expect(DispatchTime.distantFuture.rawValue == .max)
    }

    @Test("Intervals and seconds can be added and subtracted")
    func arithmetic() {
        let time = DispatchTime(uptimeNanoseconds: 10_000_000_000)
        #expect((time + .seconds(1)).uptimeNanoseconds == 11_000_000_000)
        #expect((time - .milliseconds(1)).uptimeNanoseconds == 9_999_000_000)
        #expect((time + .microseconds(-1)).uptimeNanoseconds == 9_999_999_000)
        #expect((time + .nanoseconds(7)).uptimeNanoseconds == 10_000_000_007)
        #expect((time + 0.5).uptimeNanoseconds == 10_500_000_000)
        #expect((time - 2.0).uptimeNanoseconds == 8_000_000_000)
    }

    @Test("75. Overflow ends in the distant future, underflow right after the clock's start")
    func saturation() {
        let now = DispatchTime.now()
        #expect(now + .never == .distantFuture)
        #expect(now + .seconds(.max) == .distantFuture)
        #expect(now + .infinity == .distantFuture)
        #expect(now + Double.nan == .distantFuture)
        #expect(now - Double.nan == .distantFuture)
        #expect(now - .seconds(.max) == DispatchTime(uptimeNanoseconds: 1))
        #expect(now - .never == DispatchTime(uptimeNanoseconds: 1))
        #expect(now + .seconds(.min) == DispatchTime(uptimeNanoseconds: 1))
        #expect(now - .seconds(.min) == .distantFuture)
        #expect(now - .infinity == DispatchTime(uptimeNanoseconds: 1))
    }

    @Test("75. The distant future plus or minus anything is itself")
    func distantFuture() {
        #expect(DispatchTime.distantFuture - .seconds(5) == .distantFuture)
        #expect(DispatchTime.distantFuture + 1.0 == .distantFuture)
        #expect(DispatchTime.distantFuture - .infinity == .distantFuture)
        #expect(DispatchTime.distantFuture.advanced(by: .seconds(-1)) == .distantFuture)
    }

    @Test("75. The encoding ends at 2^62 - 2 ns")
    func encodingLimit() {
        let last = DispatchTime(uptimeNanoseconds: (1 << 62) - 2)
        #expect(last < .distantFuture)
        #expect(last + .nanoseconds(1) == .distantFuture)
        #expect(DispatchTime(uptimeNanoseconds: .max) == .distantFuture)
        #expect(last.monotonicDeadline == last.rawValue)
        for later in [1 << 62, 1 << 63, UInt64.max - 1].map(DispatchTime.init(uptimeNanoseconds:)) {
            // Kept as given, as in GCD, but never reached.
            #expect(last < later && later < .distantFuture)
            #expect(later.monotonicDeadline == .max)
            #expect(later - .seconds(1) == .distantFuture)
            #expect(later.distance(to: .distantFuture) == .nanoseconds(0))
        }
    }

    @Test("Zero means now")
    func zero() {
        let zero = DispatchTime(uptimeNanoseconds: 0)
        #expect(zero.rawValue == 0)
        let before = DispatchTime.now()
        let later = zero + .seconds(10)
        #expect(later >= before + .seconds(10))
        #expect(later <= DispatchTime.now() + .seconds(10))
        #expect(zero.monotonicDeadline >= before.uptimeNanoseconds)
    }

    @Test("advanced(by:) and distance(to:) are each other's inverse")
    func distance() {
        let time = DispatchTime(uptimeNanoseconds: 5000)
        let later = time.advanced(by: .microseconds(3))
        #expect(time.distance(to: later) == .nanoseconds(3000))
        #expect(later.distance(to: time) == .nanoseconds(-3000))
        #expect(later.advanced(by: later.distance(to: time)) == time)
        #expect(time.distance(to: .distantFuture) == .never)
        #expect(DispatchTime.distantFuture.distance(to: .distantFuture) == .nanoseconds(0))
        #expect(DispatchTime.distantFuture.distance(to: time) == .nanoseconds(.min))
    }

    @Test("69. A deadline is the uptime itself, and the distant future none")
    func deadline() {
        #expect(DispatchTime(uptimeNanoseconds: 77).monotonicDeadline == 77)
        #expect(DispatchTime.distantFuture.monotonicDeadline == .max)
    }
}
