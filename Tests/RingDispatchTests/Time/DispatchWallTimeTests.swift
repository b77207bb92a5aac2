import Glibc
import RingDispatch
import Testing

@Suite("DispatchWallTime")
struct DispatchWallTimeTests {
    @Test("69. now is the time of day")
    func now() {
        let before = time(nil)
        let now = DispatchWallTime.now()
        let after = time(nil)
        // A second more, because time(2) may lag behind.
        #expect(now >= DispatchWallTime(timespec: timespec(tv_sec: before - 1, tv_nsec: 0)))
        #expect(now <= DispatchWallTime(timespec: timespec(tv_sec: after + 2, tv_nsec: 0)))
    }

    @Test("Later times are greater although their raw values are smaller")
    func order() {
        let time = DispatchWallTime(timespec: timespec(tv_sec: 100, tv_nsec: 5))
        let later = DispatchWallTime(timespec: timespec(tv_sec: 100, tv_nsec: 6))
        #expect(time < later)
        #expect(!(later < time))
        #expect(time.rawValue > later.rawValue)
        #expect(time.rawValue == UInt64(bitPattern: -100_000_000_005))
        #expect(later < .distantFuture)
        #expect(!(DispatchWallTime.distantFuture < later))
        #expect(!(DispatchWallTime.distantFuture < .distantFuture))
        #expect(DispatchWallTime.distantFuture.rawValue == .max)
    }

    @Test("Intervals and seconds can be added and subtracted")
    func arithmetic() {
        let time = DispatchWallTime(timespec: timespec(tv_sec: 100, tv_nsec: 0))
        #expect((time + .seconds(1)).realtimeDeadline == 101_000_000_000)
        #expect((time - .milliseconds(1)).realtimeDeadline == 99_999_000_000)
        #expect((time + 0.5).realtimeDeadline == 100_500_000_000)
        #expect((time - 0.5).realtimeDeadline == 99_500_000_000)
        #expect(time + .seconds(5) > time)
    }

    @Test("75. Overflow ends in the distant future, underflow in 1970")
    func saturation() {
        let now = DispatchWallTime.now()
        let start = DispatchWallTime(timespec: timespec(tv_sec: 0, tv_nsec: 0))
        #expect(now + .never == .distantFuture)
        #expect(now + .seconds(.max) == .distantFuture)
        #expect(now + Double.infinity == .distantFuture)
        #expect(now - .seconds(.max) == start)
        #expect(now - Double.infinity == start)
        #expect(start < now)
        #expect(start != .distantFuture)
        #expect(DispatchWallTime.distantFuture - .seconds(1) == .distantFuture)
        #expect(DispatchWallTime(timespec: timespec(tv_sec: -7, tv_nsec: 0)) == start)
        #expect(DispatchWallTime(timespec: timespec(tv_sec: .max, tv_nsec: 0)) == .distantFuture)
    }

    @Test("advanced(by:) and distance(to:) are each other's inverse")
    func distance() {
        let time = DispatchWallTime(timespec: timespec(tv_sec: 100, tv_nsec: 0))
        let later = time.advanced(by: .seconds(3))
        #expect(time.distance(to: later) == .seconds(3))
        #expect(later.distance(to: time) == .seconds(-3))
        #expect(time.distance(to: .distantFuture) == .never)
        #expect(DispatchWallTime.distantFuture.distance(to: .distantFuture) == .nanoseconds(0))
    }

    @Test("69. A deadline converts to the uptime clock")
    func monotonicDeadline() {
        let before = DispatchTime.now() + .seconds(10)
        let inTen = (DispatchWallTime.now() + .seconds(10)).monotonicDeadline
        let after = DispatchTime.now() + .seconds(10)
        // A second more, because somebody may set the clock a little.
        #expect(inTen > (before - .seconds(1)).uptimeNanoseconds)
        #expect(inTen < (after + .seconds(1)).uptimeNanoseconds)
        let ago = (DispatchWallTime.now() - .milliseconds(10)).monotonicDeadline
        #expect(ago < DispatchTime.now().uptimeNanoseconds)
        #expect((DispatchWallTime.now() - .seconds(1 << 31)).monotonicDeadline >= 1)
        #expect(DispatchWallTime.distantFuture.monotonicDeadline == .max)
    }
}
