import Glibc

/// The end of a wait, on CLOCK_MONOTONIC. Every wait has one, so that a lost event fails a test
/// instead of blocking the run.
struct Deadline: Sendable {
    /// Long, so that a loaded machine does not fail a test.
    static let seconds = UInt64(2 * Patience.seconds)

    let nanoseconds: UInt64

    init(afterMilliseconds milliseconds: UInt64 = Deadline.seconds * 1000) {
        nanoseconds = Self.now() + milliseconds * 1_000_000
    }

    /// The time-out for poll(2): rounded up, 0 after the deadline.
    var millisecondsLeft: Int32 {
        let now = Self.now()
        return now >= nanoseconds ? 0 : Int32((nanoseconds - now + 999_999) / 1_000_000)
    }

    var isOver: Bool { Self.now() >= nanoseconds }

    var time: timespec {
        timespec(
            tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    }

    static func now() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// Lets time pass for a measurement; never to wait for an event.
func letPass(milliseconds: UInt32) {
    usleep(milliseconds * 1000)
}
