import Glibc

/// When a wait gives up, on CLOCK_MONOTONIC. Every wait of these tests has one, so that a lost
/// event is a failed test and not a run that hangs.
struct Deadline: Sendable {
    /// Long beside what is waited for, so that a loaded machine does not fail a test.
    static let seconds: UInt64 = 20

    let nanoseconds: UInt64

    init(afterMilliseconds milliseconds: UInt64 = Deadline.seconds * 1000) {
        nanoseconds = Self.now() + milliseconds * 1_000_000
    }

    /// What poll(2) takes: rounded up, 0 when it is over.
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

/// Lets time pass that a test measures something over; never to wait for something to happen.
func letPass(milliseconds: UInt32) {
    usleep(milliseconds * 1000)
}
