internal import Glibc

/// How many descriptors the process may have open (RLIMIT_NOFILE). getrlimit(2).
package enum DescriptorLimit {
    package static var current: UInt { limits.map { UInt($0.rlim_cur) } ?? .max }

    /// Lifts the soft limit to the hard one. The soft one is low only for programs that use
    /// select(2).
    package static func raise() {
        guard var limits, limits.rlim_cur < limits.rlim_max else { return }
        limits.rlim_cur = limits.rlim_max
        setrlimit(resource, &limits)
    }

    private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)

    private static var limits: rlimit? {
        var limits = rlimit()
        return getrlimit(resource, &limits) == 0 ? limits : nil
    }
}
