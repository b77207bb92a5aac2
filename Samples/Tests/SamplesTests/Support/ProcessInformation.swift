import Foundation
import Glibc

/// Facts about a process from /proc and its clocks.
enum ProcessInformation {
    /// User and system time of all threads so far.
    static func processorNanoseconds(_ processID: pid_t) throws -> UInt64 {
        var clock = clockid_t()
        var time = timespec()
        let code = clock_getcpuclockid(processID, &clock)
        guard code == 0, clock_gettime(clock, &time) == 0 else {
            throw Trouble("process \(processID) has no processor clock: it has ended")
        }
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }

    /// Resident memory. proc_pid_statm(5).
    static func residentBytes(_ processID: pid_t) throws -> Int {
        let text = try String(contentsOfFile: "/proc/\(processID)/statm", encoding: .utf8)
        let fields = text.split(separator: " ")
        guard fields.count > 1, let pages = Int(fields[1]) else {
            throw Trouble("no memory in /proc/\(processID)/statm: '\(text)'")
        }
        return pages * Int(getpagesize())
    }

    /// The number of open descriptors that are rings of io_uring.
    static func rings(_ processID: pid_t) throws -> Int {
        let folder = "/proc/\(processID)/fd"
        return try FileManager.default.contentsOfDirectory(atPath: folder).count {
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "\(folder)/\($0)")
            return target == "anon_inode:[io_uring]"
        }
    }

    /// Voluntary context switches by thread ID. A thread that wakes up and waits again raises its
    /// count, so equal counts mean that no thread woke up.
    static func voluntarySwitches(_ processID: pid_t) throws -> [String: Int] {
        let folder = "/proc/\(processID)/task"
        let threads = try FileManager.default.contentsOfDirectory(atPath: folder)
        let key = "voluntary_ctxt_switches:"
        var counts: [String: Int] = [:]
        for thread in threads {
            let status = try String(contentsOfFile: "\(folder)/\(thread)/status", encoding: .utf8)
            guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix(key) }),
                let count = Int(line.dropFirst(key.count).filter(\.isNumber))
            else { throw Trouble("no \(key) in \(folder)/\(thread)/status") }
            counts[thread] = count
        }
        return counts
    }

    /// Whether no thread runs or waits for a CPU. proc_pid_stat(5).
    static func isAsleep(_ processID: pid_t) throws -> Bool {
        let folder = "/proc/\(processID)/task"
        return try FileManager.default.contentsOfDirectory(atPath: folder).allSatisfy { thread in
            // The thread may have ended meanwhile.
            let text = try? String(contentsOfFile: "\(folder)/\(thread)/stat", encoding: .utf8)
            return text?.split(separator: ")").last?.hasPrefix(" R") != true
        }
    }

    /// Whether a process of the group runs, zombies excluded. proc_pid_stat(5).
    static func isAlive(group: pid_t) throws -> Bool {
        let folders = try FileManager.default.contentsOfDirectory(atPath: "/proc")
        return folders.filter { $0.allSatisfy(\.isNumber) }.contains { folder in
            // The process may have ended meanwhile.
            let path = "/proc/\(folder)/stat"
            guard let text = try? String(contentsOfFile: path, encoding: .utf8),
                let name = text.lastIndex(of: ")")
            else { return false }
            // After the name: state, parent, group.
            let fields = text[name...].split(separator: " ")
            return fields.count > 3 && fields[3] == "\(group)" && fields[1] != "Z"
        }
    }
}
