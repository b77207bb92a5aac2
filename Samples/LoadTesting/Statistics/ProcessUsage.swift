internal import Glibc

/// The CPU time of a process so far.
struct ProcessUsage: Sendable {
    /// User mode; 0 for another process.
    var userNanoseconds: UInt64 = 0
    /// Kernel mode; 0 for another process.
    var systemNanoseconds: UInt64 = 0
    /// Both modes, including threads that have ended; 0 for this process.
    var processorNanoseconds: UInt64 = 0
    /// Voluntary and involuntary switches of the living threads; 0 for this process.
    var contextSwitches: UInt64 = 0

    /// The usage of this process. getrusage(2).
    static func own() -> ProcessUsage {
        var times = rusage()
        getrusage(RUSAGE_SELF.rawValue, &times)
        var usage = ProcessUsage()
        usage.userNanoseconds = nanoseconds(times.ru_utime)
        usage.systemNanoseconds = nanoseconds(times.ru_stime)
        return usage
    }

    /// The usage of another process; nil if it does not exist. clock_getcpuclockid(3), proc(5).
    static func of(process: Int32) -> ProcessUsage? {
        var clock: clockid_t = 0
        var time = timespec()
        guard process > 0, clock_getcpuclockid(process, &clock) == 0,
            clock_gettime(clock, &time) == 0
        else { return nil }
        var usage = ProcessUsage()
        usage.processorNanoseconds = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        let folder = "/proc/\(process)/task"
        for task in ProcFolder.names(in: folder) {
            usage.contextSwitches += switches(in: contents(of: "\(folder)/\(task)/status") ?? "")
        }
        return usage
    }

    /// How a process waits for events, by the kind of its descriptors: `io_uring` if it has a ring,
    /// else `epoll`. nil if neither is there, or if its descriptors are not visible. proc(5).
    static func backend(ofProcess process: Int32) -> String? {
        let folder = "/proc/\(process)/fd"
        let kinds = ProcFolder.names(in: folder).map { ProcFolder.link("\(folder)/\($0)") }
        return [("[io_uring]", "io_uring"), ("[eventpoll]", "epoll")]
            .first { kinds.contains("anon_inode:" + $0.0) }?.1
    }

    private static func nanoseconds(_ time: timeval) -> UInt64 {
        UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1000
    }

    private static func switches(in status: String) -> UInt64 {
        status.split(separator: "\n").filter { $0.contains("voluntary_ctxt_switches:") }
            .compactMap { $0.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0) } }
            .reduce(0, +)
    }
}
