internal import CLinux
internal import Glibc

/// How many CPUs the process may use: the affinity mask, cut down to the cgroup's quota.
package enum CPUCount {
    package static let usable: Int = {
        let mask = Int(clinux_affinity_count())
        return max(1, min(mask > 0 ? mask : machine.online, machine.quota ?? .max))
    }()

    /// Whether something may run while a thread of this process does: there are other CPUs, be they
    /// this process's or not, and no quota that makes all of its CPU time precious.
    package static let othersMayRun = machine.online > 1 && machine.quota ?? .max > 1

    /// Read together, and once: later there may be no descriptor to read them by.
    private static let machine = (
        online: Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), quota: cgroupQuota()
    )

    /// Whole CPUs of the tightest CPU quota on the way to the root, rounded up.
    /// - Parameter root: where /proc and /sys are.
    static func cgroupQuota(root: String = "") -> Int? {
        let folder = root + "/sys/fs/cgroup"
        // Without /proc nobody says which cgroup it is. In a container it is the one that the
        // container sees as the root; elsewhere that one has no quota.
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

    /// A cgroup's path and those of its ancestors, which limit it, too.
    static func levels(of path: String) -> [String] {
        var parts = path.split(separator: "/").map(String.init)
        var result = [""]
        while !parts.isEmpty {
            result.append("/" + parts.joined(separator: "/"))
            parts.removeLast()
        }
        return result
    }

    /// Version 2: "cpu.max" holds "QUOTA PERIOD" or "max PERIOD".
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

    /// Version 1: two files, and a quota of -1 for none.
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
