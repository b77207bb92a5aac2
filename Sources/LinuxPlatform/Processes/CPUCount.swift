internal import CLinux
internal import Glibc

/// The number of CPUs that the process may use: the affinity mask of its main thread, limited by
/// the cgroup's quota.
package enum CPUCount {
    package static let usable: Int = {
        let mask = Int(clinux_affinity_count())
        return max(1, min(mask > 0 ? mask : machine.online, machine.quota ?? .max))
    }()

    /// Whether another thread, of any process, may run at the same time as a thread of this
    /// process. A CPU quota of 1 counts as no: a spin would use up time that the process needs.
    package static let othersMayRun = machine.online > 1 && machine.quota ?? .max > 1

    /// Read once, at the start: later there may be no free descriptor to read the files with.
    private static let machine = (
        online: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), quota: cgroupQuota()
    )

    /// The smallest CPU quota of the cgroup and its ancestors, in CPUs, rounded up.
    /// - Parameter root: prefix of /proc and /sys, for tests.
    static func cgroupQuota(root: String = "") -> Int? {
        let folder = root + "/sys/fs/cgroup"
        // Without /proc the cgroup is unknown: assume the root, which is the container's own cgroup
        // in a container, and has no quota elsewhere.
        let membership =
            SystemFile.contents(of: root + "/proc/self/cgroup") ?? "0::/\n1:cpu:/\n"
        var quotas: [Int] = []
        for line in membership.split(separator: "\n") {
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { continue }
            let path = String(fields[2])
            if fields[1].isEmpty {
                quotas += levels(of: path).compactMap { unifiedQuota(in: folder + $0) }
            } else if fields[1].split(separator: ",").contains("cpu") {
                quotas += levels(of: path).compactMap { legacyQuota(in: folder + "/cpu" + $0) }
            }
        }
        return quotas.min()
    }

    /// The paths of a cgroup and of its ancestors, whose quotas also apply.
    static func levels(of path: String) -> [String] {
        var levels = [""]
        for part in path.split(separator: "/") {
            levels.append("\(levels[levels.count - 1])/\(part)")
        }
        return levels
    }

    /// cgroup v2: "cpu.max" holds "QUOTA PERIOD" or "max PERIOD".
    private static func unifiedQuota(in folder: String) -> Int? {
        SystemFile.firstLine(of: folder + "/cpu.max").flatMap(quota(fromMax:))
    }

    static func quota(fromMax line: String) -> Int? {
        let fields = line.split(separator: " ")
        guard fields.count == 2, let quota = Int(fields[0]), let period = Int(fields[1]) else {
            return nil
        }
        return cpus(quota: quota, period: period)
    }

    /// cgroup v1: two files; a quota of -1 means none.
    private static func legacyQuota(in folder: String) -> Int? {
        guard
            let quota = SystemFile.firstLine(of: folder + "/cpu.cfs_quota_us").flatMap(Int.init),
            let period = SystemFile.firstLine(of: folder + "/cpu.cfs_period_us").flatMap(Int.init)
        else { return nil }
        return cpus(quota: quota, period: period)
    }

    private static func cpus(quota: Int, period: Int) -> Int? {
        guard quota > 0, period > 0 else { return nil }
        return max(1, (quota + period - 1) / period)
    }
}
