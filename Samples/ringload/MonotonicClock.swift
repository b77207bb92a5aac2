import Glibc

enum MonotonicClock {
    static func nanoseconds() -> UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

/// The processor time that this process took.
struct ProcessorTime: Sendable {
    var userSeconds = 0.0
    var systemSeconds = 0.0

    static func now() -> ProcessorTime {
        var usage = rusage()
        getrusage(RUSAGE_SELF.rawValue, &usage)
        return ProcessorTime(
            userSeconds: Double(usage.ru_utime.tv_sec) + Double(usage.ru_utime.tv_usec) / 1e6,
            systemSeconds: Double(usage.ru_stime.tv_sec) + Double(usage.ru_stime.tv_usec) / 1e6)
    }

    var totalSeconds: Double { userSeconds + systemSeconds }

    static func - (later: ProcessorTime, earlier: ProcessorTime) -> ProcessorTime {
        ProcessorTime(
            userSeconds: later.userSeconds - earlier.userSeconds,
            systemSeconds: later.systemSeconds - earlier.systemSeconds)
    }
}
