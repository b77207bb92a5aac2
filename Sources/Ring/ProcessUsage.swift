internal import CRing
internal import Glibc

/// What a process has used of the CPUs so far.
package struct ProcessUsage: Sendable {
    /// In user mode; 0 for another process.
    package var userNanoseconds: UInt64 = 0
    /// In the kernel; 0 for another process.
    package var systemNanoseconds: UInt64 = 0
    /// In both, threads that have ended included.
    package var processorNanoseconds: UInt64 = 0
    /// Voluntary and forced ones, of the threads that are alive.
    package var contextSwitches: UInt64 = 0

    package init() {}

    /// This process's. getrusage(2).
    package static func own() -> ProcessUsage {
        var times = rusage()
        getrusage(RUSAGE_SELF.rawValue, &times)
        var usage = ProcessUsage()
        usage.userNanoseconds = nanoseconds(times.ru_utime)
        usage.systemNanoseconds = nanoseconds(times.ru_stime)
        usage.processorNanoseconds = usage.userNanoseconds + usage.systemNanoseconds
        usage.contextSwitches = UInt64(times.ru_nvcsw + times.ru_nivcsw)
        return usage
    }

    /// Another process's, or nil when there is none with this number. clock_getcpuclockid(3),
    /// proc(5).
    package static func of(process: Int32) -> ProcessUsage? {
        var clock: clockid_t = 0
        var time = timespec()
        guard process > 0, clock_getcpuclockid(process, &clock) == 0,
            clock_gettime(clock, &time) == 0
        else { return nil }
        var usage = ProcessUsage()
        usage.processorNanoseconds = UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
        let folder = "/proc/\(process)/task"
        for task in entries(of: folder) {
            guard let status = SystemFile.contents(of: "\(folder)/\(task)/status") else { continue }
            usage.contextSwitches += switches(in: status)
        }
        return usage
    }

    private static func nanoseconds(_ time: timeval) -> UInt64 {
        UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_usec) * 1000
    }

    private static func switches(in status: String) -> UInt64 {
        status.split(separator: "\n").filter { $0.contains("voluntary_ctxt_switches:") }
            .compactMap { $0.split(whereSeparator: \.isWhitespace).last.flatMap { UInt64($0) } }
            .reduce(0, +)
    }

    private static func entries(of folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                // Safety: the kernel ends names with a NUL, within the field.
                field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.first?.isNumber == true { names.append(name) }
        }
        return names
    }
}
