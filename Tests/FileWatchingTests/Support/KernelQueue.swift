import Glibc
import LinuxPlatform
import SystemPackage
import Testing

/// The kernel's queue of events.
enum KernelQueue {
    /// How many events it holds.
    static let limit =
        SystemFile.firstLine(of: "/proc/sys/fs/inotify/max_queued_events").flatMap { Int($0) }
        ?? .max

    /// Whether it can be filled in reasonable time.
    static let isSmall = limit <= 65536

    /// Changes a file until the events fill the queue. The kernel merges an event with an equal
    /// previous one, but not a write with a change of the mode.
    static func fill(changing path: FilePath) {
        let file = path.withPlatformString { open($0, O_WRONLY | O_CLOEXEC) }
        defer { close(file) }
        let isFilled = (0...(limit / 2)).allSatisfy { _ in
            write(file, "x", 1) == 1 && fchmod(file, 0o644) == 0
        }
        #expect(isFilled)
    }
}
