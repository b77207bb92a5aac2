import RingDispatch
import Testing

@testable import RingNetwork

/// Samples made-up connections at made-up times, in milliseconds.
@Suite("Time-outs of sampled activity")
struct TimeoutTrackerTests {
    private static let millisecond: UInt64 = 1_000_000

    private func watch(
        _ activity: ConnectionActivity = ConnectionActivity(),
        _ set: (inout ConnectionTimeouts) -> Void
    ) -> TimeoutTracker {
        var timeouts = ConnectionTimeouts()
        set(&timeouts)
        return TimeoutTracker(timeouts, began: 0, now: 0, activity)
    }

    private func check(
        _ watch: inout TimeoutTracker, _ milliseconds: UInt64, _ activity: ConnectionActivity,
        late: UInt64 = 0
    ) -> ConnectionTimeout? {
        let due = (milliseconds - late) * Self.millisecond
        return watch.check(milliseconds * Self.millisecond, due: due, activity)
    }

    @Test("Idle time counts from the tick that saw the last bytes, in either direction")
    func idle() {
        var activity = ConnectionActivity()
        var watch = watch { $0.idle = .milliseconds(80) }
        #expect(watch.interval(isHandshaking: false, hasUnsent: false) == 10 * Self.millisecond)
        #expect(check(&watch, 79, activity) == nil)
        activity.bytesReceived = 1
        #expect(check(&watch, 90, activity) == nil)
        #expect(check(&watch, 169, activity) == nil)
        activity.bytesSent = 1
        #expect(check(&watch, 170, activity) == nil)
        #expect(check(&watch, 249, activity) == nil)
        #expect(check(&watch, 250, activity) == .idle)
    }

    @Test("Receiving time counts only while the connection wants to receive")
    func receive() {
        var activity = ConnectionActivity()
        var watch = watch { $0.receive = .milliseconds(80) }
        #expect(check(&watch, 500, activity) == nil)
        activity.wantsToReceive = true
        #expect(check(&watch, 600, activity) == nil)
        #expect(check(&watch, 679, activity) == nil)
        activity.hasPaused = true
        #expect(check(&watch, 690, activity) == nil)
        activity.hasPaused = false
        #expect(check(&watch, 769, activity) == nil)
        #expect(check(&watch, 770, activity) == .receive)
    }

    @Test("Sending time counts only while bytes are unsent, from the tick that saw them")
    func send() {
        var activity = ConnectionActivity()
        var watch = watch { $0.send = .milliseconds(80) }
        #expect(watch.interval(isHandshaking: false, hasUnsent: false) == nil)
        #expect(watch.interval(isHandshaking: false, hasUnsent: true) == 10 * Self.millisecond)
        #expect(check(&watch, 500, activity) == nil)
        activity.hasUnsent = true
        #expect(check(&watch, 600, activity) == nil)
        #expect(check(&watch, 679, activity) == nil)
        activity.hasDrained = true
        #expect(check(&watch, 680, activity) == nil)
        activity.hasDrained = false
        #expect(check(&watch, 759, activity) == nil)
        #expect(check(&watch, 760, activity) == .send)
    }

    @Test("The handshake time counts from the activation")
    func handshake() {
        var activity = ConnectionActivity()
        activity.isHandshaking = true
        var watch = watch(activity) { $0.handshake = .milliseconds(80) }
        #expect(watch.interval(isHandshaking: true, hasUnsent: false) != nil)
        #expect(watch.interval(isHandshaking: false, hasUnsent: false) == nil)
        activity.bytesReceived = 5
        #expect(check(&watch, 79, activity) == nil)
        #expect(check(&watch, 80, activity) == .handshake)
    }

    private func rate(_ bytesPerSecond: Int) -> MinimumRate {
        var rate = MinimumRate(bytesPerSecond: bytesPerSecond)
        rate.grace = .milliseconds(100)
        rate.window = .milliseconds(100)
        return rate
    }

    @Test("A message that arrives too slowly times out after the grace time and one window")
    func receiveRate() {
        var activity = ConnectionActivity()
        activity.wantsToReceive = true
        activity.message = 1
        var watch = watch(activity) { $0.receiveRate = rate(1000) }
        // 90 bytes in each window, where 100 are due.
        for time in stride(from: UInt64(10), to: 200, by: 10) {
            activity.bytesReceived += 9
            #expect(check(&watch, time, activity) == nil)
        }
        activity.bytesReceived += 9
        #expect(check(&watch, 210, activity) == .receiveRate)
    }

    @Test("A fast message, and silence between messages, do not time out")
    func receiveRateMet() {
        var activity = ConnectionActivity()
        activity.wantsToReceive = true
        activity.message = 1
        var watch = watch(activity) { $0.receiveRate = rate(1000) }
        for time in stride(from: UInt64(10), to: 1000, by: 10) {
            activity.bytesReceived += 10
            #expect(check(&watch, time, activity) == nil)
        }
        activity.message = nil
        #expect(check(&watch, 1010, activity) == nil)
        #expect(check(&watch, 5000, activity) == nil)
        // Each message is new, with its own grace time.
        for time in stride(from: UInt64(5010), to: 7000, by: 90) {
            activity.message = time
            #expect(check(&watch, time, activity) == nil)
        }
    }

    @Test("A peer that takes too little times out while bytes are unsent")
    func sendRate() {
        var activity = ConnectionActivity()
        var watch = watch { $0.sendRate = rate(1000) }
        #expect(check(&watch, 1000, activity) == nil)
        activity.hasUnsent = true
        #expect(check(&watch, 1010, activity) == nil)
        for time in stride(from: UInt64(1020), to: 1200, by: 10) {
            activity.bytesSent += 9
            #expect(check(&watch, time, activity) == nil)
        }
        #expect(check(&watch, 1200, activity) == .sendRate)
    }

    @Test("The time by which a tick is late beyond its leeway does not count for any limit")
    func late() {
        var activity = ConnectionActivity()
        activity.wantsToReceive = true
        activity.hasUnsent = true
        activity.message = 1
        activity.isHandshaking = true
        let limits: [(inout ConnectionTimeouts) -> Void] = [
            { $0.idle = .milliseconds(80) }, { $0.receive = .milliseconds(80) },
            { $0.send = .milliseconds(80) }, { $0.handshake = .milliseconds(80) },
        ]
        for set in limits {
            var watch = watch(activity, set)
            #expect(check(&watch, 10, activity, late: 1) == nil)
            #expect(check(&watch, 1020, activity, late: 1001) == nil)
            #expect(check(&watch, 1079, activity) == nil)
            #expect(check(&watch, 1080, activity) != nil)
        }
        activity.isHandshaking = false
        let rates: [(inout ConnectionTimeouts) -> Void] = [
            { $0.receiveRate = rate(1000) }, { $0.sendRate = rate(1000) },
        ]
        for set in rates {
            var watch = watch(activity, set)
            #expect(check(&watch, 10, activity, late: 1) == nil)
            #expect(check(&watch, 109, activity) == nil)
            #expect(check(&watch, 1119, activity, late: 1001) == nil)
            #expect(check(&watch, 1208, activity) == nil)
            #expect(check(&watch, 1209, activity) != nil)
        }
    }
}
