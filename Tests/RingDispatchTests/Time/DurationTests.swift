import RingDispatch
import Testing

@Suite("Duration")
struct DurationTests {
    @Test(
        "A Duration converts to whole nanoseconds, toward zero, with saturation",
        arguments: [
            (.seconds(3), .seconds(3)), (.milliseconds(-5), .milliseconds(-5)),
            (.nanoseconds(1.9), .nanoseconds(1)), (.nanoseconds(-1.9), .nanoseconds(-1)),
            (.nanoseconds(Int.max), .nanoseconds(.max)),
            (.seconds(Int.max), .nanoseconds(.max)), (.seconds(Int.min), .nanoseconds(.min)),
        ] as [(Duration, DispatchTimeInterval)])
    func interval(duration: Duration, expected: DispatchTimeInterval) {
        #expect(DispatchTimeInterval(duration) == expected)
    }

    @Test("A finite interval converts to a Duration of the same length")
    func finite() {
        #expect(DispatchTimeInterval.seconds(.max).duration == .seconds(Int.max))
        #expect(DispatchTimeInterval.milliseconds(-3).duration == .milliseconds(-3))
        #expect(DispatchTimeInterval.microseconds(3).duration == .microseconds(3))
        #expect(DispatchTimeInterval.nanoseconds(3).duration == .nanoseconds(3))
        #expect(DispatchTimeInterval.never.duration == nil)
    }

    @Test("A Duration is added to points in time, and subtracted, with saturation")
    func arithmetic() {
        let duration = Duration.milliseconds(1500)
        let time = DispatchTime(uptimeNanoseconds: 10_000_000_000)
        #expect(time + duration == DispatchTime(uptimeNanoseconds: 11_500_000_000))
        #expect(time - duration == DispatchTime(uptimeNanoseconds: 8_500_000_000))
        #expect(time + Duration.seconds(Int.max) == .distantFuture)
        #expect(time - Duration.seconds(Int.max) == DispatchTime(uptimeNanoseconds: 1))
        let wallTime = DispatchWallTime.now()
        #expect(wallTime + duration == wallTime + .milliseconds(1500))
        #expect(wallTime - duration == wallTime - .milliseconds(1500))
        #expect(wallTime + Duration.seconds(Int.max) == .distantFuture)
    }

    @Test("Literals that fit both types are intervals of GCD; fractions are Durations")
    func literals() {
        let time = DispatchTime(uptimeNanoseconds: 10_000_000_000)
        let sum: DispatchTime = time + .seconds(1) + .milliseconds(2) - .microseconds(3) + 0.5
        #expect(sum == DispatchTime(uptimeNanoseconds: 11_501_997_000))
        #expect(time + .seconds(0.5) == time + .milliseconds(500))
        #expect(time + .never == .distantFuture)
        #expect(typeOfLimit(.seconds(1)) == "DispatchTimeInterval")
        #expect(typeOfLimit(.seconds(0.5)) == "Duration")
    }
}

private func typeOfLimit(_ limit: DispatchTimeInterval) -> String { "DispatchTimeInterval" }

@_disfavoredOverload
private func typeOfLimit(_ limit: Duration) -> String { "Duration" }
