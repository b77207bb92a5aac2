internal import Glibc

/// The limit of open descriptors (RLIMIT_NOFILE). getrlimit(2).
package enum DescriptorLimit {
    package static var current: UInt { limits.map { UInt($0.rlim_cur) } ?? .max }

    /// Raises the soft limit, which is low only for programs that use select(2), to the hard one.
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
