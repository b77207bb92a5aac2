import Glibc
import TestSupport
import Testing

/// Checks that the process uses little CPU time for half a second.
func expectIdle(
    below milliseconds: Int = 150, sourceLocation: SourceLocation = #_sourceLocation
) {
    let before = cpuMilliseconds()
    letTimePass(milliseconds: 500)
    let used = cpuMilliseconds() - before
    #expect(
        used < milliseconds, "\(used) ms of CPU time in half a second",
        sourceLocation: sourceLocation)
}

/// CPU time of the process so far.
private func cpuMilliseconds() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
}
