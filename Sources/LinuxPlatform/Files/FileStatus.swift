internal import CLinux
internal import Glibc

/// A snapshot of an open file's attributes, to compare with a later one. statx(2).
package struct FileStatus: Sendable {
    package var mode: UInt32
    package var linkCount: UInt32
    package var owner: UInt32
    package var group: UInt32
    package var size: UInt64
    /// mtime and ctime, in nanoseconds since 1970.
    package var modifiedNanoseconds: Int64
    package var changedNanoseconds: Int64
    /// Time of the snapshot, on the clock from which file systems take their timestamps.
    package var takenNanoseconds: Int64

    /// Reads the attributes that this machine has cached, without a request to a file server
    /// (AT_STATX_DONT_SYNC). nil if statx(2) fails.
    package init?(of descriptor: Int32) {
        var now = timespec()
        clock_gettime(CLOCK_REALTIME_COARSE, &now)
        var found = clinux_file_status()
        guard clinux_file_status(descriptor, &found) == 0 else { return nil }
        mode = found.mode
        linkCount = found.link_count
        owner = found.owner
        group = found.group
        size = found.size
        modifiedNanoseconds = found.modified_nanoseconds
        changedNanoseconds = found.changed_nanoseconds
        takenNanoseconds = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    }

    package var isDirectory: Bool { mode & S_IFMT == S_IFDIR }

    package func isWritten(since old: FileStatus) -> Bool {
        size != old.size || modifiedNanoseconds != old.modifiedNanoseconds
    }

    package func isChanged(since old: FileStatus) -> Bool {
        changedNanoseconds != old.changedNanoseconds
    }

    /// Whether the content (or any attribute) may change after the snapshot and keep its timestamp:
    /// file systems advance their time in ticks of the kernel's clock.
    package var isFreshlyModified: Bool { isWithinTick(modifiedNanoseconds) }
    package var isFreshlyChanged: Bool { isWithinTick(changedNanoseconds) }

    private func isWithinTick(_ time: Int64) -> Bool {
        time > takenNanoseconds - FileStatus.longestTickNanoseconds
    }

    private static let longestTickNanoseconds: Int64 = 10_000_000
}
