// The process calls: signals, limits, processors, environment, output.
import Glibc
import SampleSupport

/// An errno in the system's words.
func errnoText(_ code: Int32) -> String {
    String(cString: strerror(code))
}

func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}

/// Lifts the soft descriptor limit to the hard one, and throws when that is too low.
func ensureDescriptors(forConnections connections: Int) throws {
    /// Standard streams, the runtime's rings and event descriptors, the JSON file.
    let others = 64 + 4 * usableProcessors()
    let needed = rlim_t(connections + others)
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    guard getrlimit(resource, &limit) == 0 else { return }
    if limit.rlim_cur < limit.rlim_max {
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
        getrlimit(resource, &limit)
    }
    guard limit.rlim_cur < needed else { return }
    throw Failure(
        "\(connections) connections need \(needed) descriptors, and the limit is "
            + "\(limit.rlim_cur): raise it (ulimit -n \(needed), as root), "
            + "or use fewer --connections")
}

/// The CPUs this process may run on.
func usableProcessors() -> Int {
    // Swift's Glibc module lacks sched_getaffinity(2): look it up by name.
    typealias Function = @convention(c) (pid_t, Int, UnsafeMutablePointer<UInt64>) -> Int32
    var mask = [UInt64](repeating: 0, count: 16)  // 1024 CPUs, glibc's cpu_set_t
    guard let symbol = dlsym(nil, "sched_getaffinity") else { return 1 }
    // Safety: the type is the one the man page documents; the size goes along.
    let function = unsafeBitCast(symbol, to: Function.self)
    guard function(0, mask.count * 8, &mask) == 0 else { return 1 }
    return max(1, mask.reduce(0) { $0 + $1.nonzeroBitCount })
}
