import Testing

@testable import LinuxPlatform

@Suite("CPU count")
struct CPUCountTests {
    @Test("a cgroup's quota counts in whole CPUs, rounded up")
    func quota() {
        #expect(CPUCount.quota(fromMax: "200000 100000") == 2)
        #expect(CPUCount.quota(fromMax: "150000 100000") == 2)
        #expect(CPUCount.quota(fromMax: "10000 100000") == 1)
        #expect(CPUCount.quota(fromMax: "max 100000") == nil)
        #expect(CPUCount.quota(fromMax: "nonsense") == nil)
    }

    @Test("a cgroup's ancestors limit it, too")
    func ancestors() {
        #expect(Set(CPUCount.levels(of: "/a/b")) == ["", "/a", "/a/b"])
        #expect(CPUCount.levels(of: "/") == [""])
    }

    @Test("at least one CPU may be used")
    func usable() {
        #expect(CPUCount.usable >= 1)
    }
}
