internal import RingDispatch

/// Decides from periodic samples of a connection's activity which time-out has expired. Between two
/// samples it assumes whatever favours the connection, so no time-out fires early.
struct TimeoutTracker {
    private let idle: UInt64?
    private let receive: UInt64?
    private let send: UInt64?
    private let handshake: UInt64?
    private var receiveRate: RateTracker?
    private var sendRate: RateTracker?
    private var began: UInt64
    private var last: ConnectionActivity
    private var idleSince: UInt64
    private var receivingSince: UInt64
    private var sendingSince: UInt64

    private static let ticksInSpan: UInt64 = 8
    /// The least time between two ticks, in nanoseconds.
    static let shortestTick: UInt64 = 1_000_000

    /// - Parameters:
    ///   - began: when the connection was activated.
    ///   - now: CLOCK_MONOTONIC, nanoseconds.
    init(
        _ timeouts: ConnectionTimeouts, began: UInt64, now: UInt64, _ activity: ConnectionActivity
    ) {
        idle = ConnectionTimeouts.nanoseconds(timeouts.idle, "idle")
        receive = ConnectionTimeouts.nanoseconds(timeouts.receive, "receive")
        send = ConnectionTimeouts.nanoseconds(timeouts.send, "send")
        handshake = ConnectionTimeouts.nanoseconds(timeouts.handshake, "handshake")
        receiveRate = timeouts.receiveRate.map { RateTracker($0, "receiveRate") }
        sendRate = timeouts.sendRate.map { RateTracker($0, "sendRate") }
        self.began = began
        last = activity
        idleSince = now
        receivingSince = now
        sendingSince = now
    }

    /// The time until the next tick; nil: no time-out can expire until bytes are unsent.
    func interval(isHandshaking: Bool, hasUnsent: Bool) -> UInt64? {
        let spans = [
            idle, receive, hasUnsent ? send : nil, isHandshaking ? handshake : nil,
            receiveRate?.window, hasUnsent ? sendRate?.window : nil,
        ].compactMap { $0 }
        return spans.min().map { max($0 / TimeoutTracker.ticksInSpan, TimeoutTracker.shortestTick) }
    }

    /// The time-out that has expired, if any.
    /// - Parameter due: when the tick was due. One later than its leeway has waited for the queue.
    ///   Meanwhile nothing was received or sent, whatever the peer did, so that does not count.
    mutating func check(
        _ now: UInt64, due: UInt64, _ activity: ConnectionActivity
    ) -> ConnectionTimeout? {
        defer { last = activity }
        let latest = due &+ DispatchScheduledItem.leeway
        let late = now > latest ? now - latest : 0
        began &+= late
        idleSince &+= late
        receivingSince &+= late
        sendingSince &+= late
        receiveRate?.skip(late)
        sendRate?.skip(late)
        let hasReceived = activity.bytesReceived != last.bytesReceived
        let hasSent = activity.bytesSent != last.bytesSent
        let receives = activity.wantsToReceive && last.wantsToReceive && !activity.hasPaused
        let sends = activity.hasUnsent && last.hasUnsent && !activity.hasDrained
        if hasReceived || hasSent { idleSince = now }
        if hasReceived || !receives { receivingSince = now }
        if hasSent || !sends { sendingSince = now }
        func isUp(_ span: UInt64?, since: UInt64) -> Bool {
            span.map { now &- since >= $0 } ?? false
        }
        if activity.isHandshaking && isUp(handshake, since: began) { return .handshake }
        if isUp(send, since: sendingSince) { return .send }
        if isUp(receive, since: receivingSince) { return .receive }
        let isSameMessage = activity.message != nil && activity.message == last.message
        if receiveRate?.check(now, activity.bytesReceived, receives && isSameMessage) ?? false {
            return .receiveRate
        }
        if sendRate?.check(now, activity.bytesSent, sends) ?? false { return .sendRate }
        return isUp(idle, since: idleSince) ? .idle : nil
    }
}

/// Measures the rate of one direction.
private struct RateTracker {
    let window: UInt64
    private let grace: UInt64
    private let bytesPerSecond: Double
    /// When bytes last became due; nil: none are due.
    private var began: UInt64?
    private var windowBegan: UInt64 = 0
    private var windowBytes: UInt64 = 0

    init(_ rate: MinimumRate, _ name: String) {
        window = ConnectionTimeouts.nanoseconds(rate.window, "\(name).window") ?? .max
        grace =
            rate.grace == .nanoseconds(0)
            ? 0
            : ConnectionTimeouts.nanoseconds(rate.grace, "\(name).grace") ?? .max
        bytesPerSecond = Double(rate.bytesPerSecond)
    }

    /// Returns whether a window has ended in which too few bytes were moved.
    /// - Parameter isDue: bytes were due during the whole time since the last tick.
    mutating func check(_ now: UInt64, _ bytes: UInt64, _ isDue: Bool) -> Bool {
        guard isDue, let began else {
            began = now
            startWindow(now, bytes)
            return false
        }
        if now &- began < grace {
            startWindow(now, bytes)
            return false
        }
        let elapsed = now &- windowBegan
        if elapsed < window { return false }
        let moved = Double(bytes &- windowBytes)
        startWindow(now, bytes)
        return moved * 1e9 < bytesPerSecond * Double(elapsed)
    }

    /// Leaves out a span in which the bytes could not be moved.
    mutating func skip(_ span: UInt64) {
        began? &+= span
        windowBegan &+= span
    }

    private mutating func startWindow(_ now: UInt64, _ bytes: UInt64) {
        windowBegan = now
        windowBytes = bytes
    }
}
