import RingDispatch
import Testing

@testable import RingNetwork

/// Looks at made-up connections at made-up times, in milliseconds.
@Suite("Time-outs, by looks")
struct ActivityWatchTests {
    private static let millisecond: UInt64 = 1_000_000

    private func watch(
        _ activity: ConnectionActivity = ConnectionActivity(),
        _ set: (inout ConnectionTimeouts) -> Void
    ) -> ActivityWatch {
        var timeouts = ConnectionTimeouts()
        set(&timeouts)
        return ActivityWatch(timeouts, began: 0, now: 0, activity)
    }

    private func look(
        _ watch: inout ActivityWatch, _ milliseconds: UInt64, _ activity: ConnectionActivity
    ) -> ConnectionTimeout? {
        watch.look(milliseconds * Self.millisecond, activity)
    }

    @Test("Idle counts from the look that found the last bytes, in either direction")
    func idle() {
        var activity = ConnectionActivity()
        var watch = watch { $0.idle = .milliseconds(80) }
        #expect(watch.interval(isHandshaking: false) == 10 * Self.millisecond)
        #expect(look(&watch, 79, activity) == nil)
        activity.bytesReceived = 1
        #expect(look(&watch, 90, activity) == nil)
        #expect(look(&watch, 169, activity) == nil)
        activity.bytesSent = 1
        #expect(look(&watch, 170, activity) == nil)
        #expect(look(&watch, 249, activity) == nil)
        #expect(look(&watch, 250, activity) == .idle)
    }

    @Test("Receiving counts only while the connection wants to receive")
    func receive() {
        var activity = ConnectionActivity()
        var watch = watch { $0.receive = .milliseconds(80) }
        #expect(look(&watch, 500, activity) == nil)
        activity.wantsToReceive = true
        #expect(look(&watch, 600, activity) == nil)
        #expect(look(&watch, 679, activity) == nil)
        activity.hasPaused = true
        #expect(look(&watch, 690, activity) == nil)
        activity.hasPaused = false
        #expect(look(&watch, 769, activity) == nil)
        #expect(look(&watch, 770, activity) == .receive)
    }

    @Test("Sending counts only while something is unsent, and from the look that found it so")
    func send() {
        var activity = ConnectionActivity()
        var watch = watch { $0.send = .milliseconds(80) }
        #expect(look(&watch, 500, activity) == nil)
        activity.hasUnsent = true
        #expect(look(&watch, 600, activity) == nil)
        #expect(look(&watch, 679, activity) == nil)
        activity.hasDrained = true
        #expect(look(&watch, 680, activity) == nil)
        activity.hasDrained = false
        #expect(look(&watch, 759, activity) == nil)
        #expect(look(&watch, 760, activity) == .send)
    }

    @Test("The handshake counts from the activation")
    func handshake() {
        var activity = ConnectionActivity()
        activity.isHandshaking = true
        var watch = watch(activity) { $0.handshake = .milliseconds(80) }
        #expect(watch.interval(isHandshaking: true) != nil)
        #expect(watch.interval(isHandshaking: false) == nil)
        activity.bytesReceived = 5
        #expect(look(&watch, 79, activity) == nil)
        #expect(look(&watch, 80, activity) == .handshake)
    }

    private func rate(_ bytesPerSecond: Int) -> MinimumRate {
        var rate = MinimumRate(bytesPerSecond: bytesPerSecond)
        rate.grace = .milliseconds(100)
        rate.window = .milliseconds(100)
        return rate
    }

    @Test("A message that comes too slowly is found after the grace and one window")
    func receiveRate() {
        var activity = ConnectionActivity()
        activity.wantsToReceive = true
        activity.message = 1
        var watch = watch(activity) { $0.receiveRate = rate(1000) }
        // 90 bytes in each window, where 100 have to come.
        for time in stride(from: UInt64(10), to: 200, by: 10) {
            activity.bytesReceived += 9
            #expect(look(&watch, time, activity) == nil)
        }
        activity.bytesReceived += 9
        #expect(look(&watch, 210, activity) == .receiveRate)
    }

    @Test("One that comes fast enough, and silence between messages, are no reason")
    func receiveRateMet() {
        var activity = ConnectionActivity()
        activity.wantsToReceive = true
        activity.message = 1
        var watch = watch(activity) { $0.receiveRate = rate(1000) }
        for time in stride(from: UInt64(10), to: 1000, by: 10) {
            activity.bytesReceived += 10
            #expect(look(&watch, time, activity) == nil)
        }
        activity.message = nil
        #expect(look(&watch, 1010, activity) == nil)
        #expect(look(&watch, 5000, activity) == nil)
        // Each is a new one, with its own grace.
        for time in stride(from: UInt64(5010), to: 7000, by: 90) {
            activity.message = time
            #expect(look(&watch, time, activity) == nil)
        }
    }

    @Test("A peer that takes too little is found while something is unsent")
    func sendRate() {
        var activity = ConnectionActivity()
        var watch = watch { $0.sendRate = rate(1000) }
        #expect(look(&watch, 1000, activity) == nil)
        activity.hasUnsent = true
        #expect(look(&watch, 1010, activity) == nil)
        for time in stride(from: UInt64(1020), to: 1200, by: 10) {
            activity.bytesSent += 9
            #expect(look(&watch, time, activity) == nil)
        }
        #expect(look(&watch, 1200, activity) == .sendRate)
    }
}
