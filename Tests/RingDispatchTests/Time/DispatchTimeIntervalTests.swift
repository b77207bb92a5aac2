import RingDispatch
import Testing

@Suite("DispatchTimeInterval")
struct DispatchTimeIntervalTests {
    @Test("Intervals are equal when they last equally long")
    func equality() {
        #expect(DispatchTimeInterval.seconds(1) == .milliseconds(1000))
        #expect(DispatchTimeInterval.milliseconds(1) == .microseconds(1000))
        #expect(DispatchTimeInterval.microseconds(-1) == .nanoseconds(-1000))
        #expect(DispatchTimeInterval.seconds(0) == .nanoseconds(0))
        #expect(DispatchTimeInterval.seconds(1) != .seconds(2))
        #expect(DispatchTimeInterval.never == .never)
        #expect(DispatchTimeInterval.never != .nanoseconds(.max))
        #expect(DispatchTimeInterval.seconds(.max) != .never)
    }

    @Test(
        "Conversion to nanoseconds saturates",
        arguments: [
            (.seconds(3), 3_000_000_000), (.milliseconds(3), 3_000_000), (.microseconds(3), 3000),
            (.nanoseconds(-3), -3), (.never, .max), (.seconds(.max), .max), (.seconds(.min), .min),
            (.milliseconds(.max), .max), (.microseconds(.min), .min), (.nanoseconds(.min), .min),
        ] as [(DispatchTimeInterval, Int64)])
    func nanoseconds(interval: DispatchTimeInterval, expected: Int64) {
        #expect(interval.clampedNanoseconds == expected)
    }

    @Test(
        "Seconds convert with saturation",
        arguments: [
            (0.5, 500_000_000), (-0.25, -250_000_000), (0, 0), (1e300, .max), (-1e300, .min),
            (.infinity, .max), (-.infinity, .min), (.nan, .max),
        ] as [(Double, Int64)])
    func seconds(seconds: Double, expected: Int64) {
        #expect(DispatchTimeInterval.clampedNanoseconds(seconds: seconds) == expected)
    }

    @Test("The smallest value has a negation")
    func negation() {
        #expect(Int64.min.clampedNegation == .max)
        #expect(Int64.max.clampedNegation == -.max)
        #expect(Int64(3).clampedNegation == -3)
    }
}
