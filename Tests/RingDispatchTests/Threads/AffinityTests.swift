import Glibc
import LinuxPlatform
import Testing

@testable import RingDispatch

@Suite("Threads that are bound to a CPU")
struct AffinityTests {
    @Test(
        "The library uses the main thread's CPUs, even if a bound thread comes first",
        .enabled(if: cpuCount(of: getpid()) > 1, "there is one CPU"))
    func boundThread() async {
        await #expect(processExitsWith: .success) {
            prepareForTrap()
            let all = cpuCount(of: getpid())
            let counts = Watched<[Int]>([])
            let thread = UserThread {
                bindToFirstCPU()
                let bound = cpuCount(of: 0)
                counts.append(bound)
                // More than the loops have, so that the monitor makes some of the threads.
                for _ in 0..<8 {
                    DispatchQueue.global().async {
                        letTimePass(milliseconds: 100)
                        counts.append(cpuCount(of: 0))
                    }
                }
            }
            expectEventually(counts) { $0.count == 9 }
            #expect(thread.join())
            #expect(counts.value == [1] + [Int](repeating: all, count: 8))
            let usable = try Configuration(variable: Environment.value, usableCPUs: all).loops
            let isLimited = CPUCount.usable < usable
            #expect(isLimited || Runtime.shared.configuration.loops == usable)
        }
    }
}

/// Room for 1024 CPUs: cpu_set_t.
private typealias CPUMask = [UInt64]

/// sched_getaffinity(2) or sched_setaffinity(2), which are not imported.
private func affinity(_ call: String, _ thread: pid_t, _ mask: inout CPUMask) -> Int32 {
    typealias Call = @convention(c) (pid_t, Int, UnsafeMutablePointer<UInt64>) -> Int32
    return unsafeBitCast(dlsym(nil, call), to: Call.self)(thread, mask.count * 8, &mask)
}

private func cpuMask(of thread: pid_t) -> CPUMask {
    var mask = CPUMask(repeating: 0, count: 16)
    let result = affinity("sched_getaffinity", thread, &mask)
    return result == 0 ? mask : []
}

/// The CPUs that a thread may use; 0: the calling thread.
private func cpuCount(of thread: pid_t) -> Int {
    cpuMask(of: thread).reduce(0) { $0 + $1.nonzeroBitCount }
}

/// Binds the calling thread.
private func bindToFirstCPU() {
    var mask = cpuMask(of: 0)
    guard let first = mask.firstIndex(where: { $0 != 0 }) else { return }
    let lowest = mask[first] & (0 &- mask[first])
    mask = CPUMask(repeating: 0, count: mask.count)
    mask[first] = lowest
    _ = affinity("sched_setaffinity", 0, &mask)
}
