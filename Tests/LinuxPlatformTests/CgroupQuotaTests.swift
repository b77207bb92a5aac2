import Foundation
import Testing

@testable import LinuxPlatform

/// The quota that a cgroup's files state, as containers show them.
@Suite("Cgroup quota")
struct CgroupQuotaTests {
    /// - Parameter files: paths below the root, and what they hold.
    private func quota(_ files: [String: String]) throws -> Int? {
        let manager = FileManager.default
        let root = manager.temporaryDirectory.appendingPathComponent(
            "cgroup-test-\(UUID().uuidString)")
        defer { try? manager.removeItem(at: root) }
        for (path, text) in files {
            let file = root.appendingPathComponent(path)
            try manager.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data((text + "\n").utf8).write(to: file)
        }
        return CPUCount.cgroupQuota(root: root.path)
    }

    @Test("version 2: a container's own cgroup is its root")
    func ownNamespace() throws {
        #expect(
            try quota(["proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "250000 100000"]) == 3)
        #expect(
            try quota(["proc/self/cgroup": "0::/", "sys/fs/cgroup/cpu.max": "max 100000"]) == nil)
    }

    @Test("version 2: the host's path of a container whose files are those of its own cgroup")
    func hostNamespace() throws {
        let files = [
            "proc/self/cgroup": "0::/system.slice/docker-0123.scope",
            "sys/fs/cgroup/cpu.max": "100000 100000",
        ]
        #expect(try quota(files) == 1)
    }

    @Test("version 2: the tightest of nested cgroups counts")
    func nested() throws {
        var files = [
            "proc/self/cgroup": "0::/pod/container",
            "sys/fs/cgroup/pod/cpu.max": "200000 100000",
            "sys/fs/cgroup/pod/container/cpu.max": "max 100000",
        ]
        #expect(try quota(files) == 2)
        files["sys/fs/cgroup/pod/container/cpu.max"] = "50000 100000"
        #expect(try quota(files) == 1)
        files["sys/fs/cgroup/pod/container/cpu.max"] = "800000 100000"
        #expect(try quota(files) == 2)
    }

    @Test("version 1: quota and period are files of their own, and -1 is no quota")
    func legacy() throws {
        var files = [
            "proc/self/cgroup": "4:memory:/docker/0123\n2:cpu,cpuacct:/docker/0123\n0::/",
            "sys/fs/cgroup/cpu/docker/cpu.cfs_quota_us": "-1",
            "sys/fs/cgroup/cpu/docker/cpu.cfs_period_us": "100000",
            "sys/fs/cgroup/cpu/docker/0123/cpu.cfs_quota_us": "150000",
            "sys/fs/cgroup/cpu/docker/0123/cpu.cfs_period_us": "100000",
        ]
        #expect(try quota(files) == 2)
        files["sys/fs/cgroup/cpu/docker/0123/cpu.cfs_quota_us"] = "-1"
        #expect(try quota(files) == nil)
    }

    @Test("without /proc, a container's own cgroup is its root all the same")
    func withoutProc() throws {
        #expect(try quota(["sys/fs/cgroup/cpu.max": "100000 100000"]) == 1)
        let legacy = [
            "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "300000",
            "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
        ]
        #expect(try quota(legacy) == 3)
        #expect(try quota([:]) == nil)
    }
}
