internal import LinuxPlatform
internal import RingDispatch
internal import SystemPackage

/// Compares folders with the disk again and again where the kernel does not report all changes: on
/// network file systems it knows those of this machine only, and on FUSE those that went through
/// the mount.
extension WatchEngine {
    /// In nanoseconds.
    private static let shortestPoll = 10_000_000
    /// The least pause after a comparison, as a multiple of its duration.
    private static let pollPause: UInt64 = 10

    private static let shared: Set<String> = [
        "9p", "afs", "ceph", "cifs", "fuse", "gfs2", "glusterfs", "lustre", "ncpfs", "nfs", "nfs4",
        "ocfs2", "smb3", "smbfs", "vboxsf", "virtiofs",
    ]

    static func isShared(_ type: String) -> Bool {
        shared.contains(type) || type.hasPrefix("fuse.")
    }

    /// Reports the file systems of others that hold files of the roots, and begins to poll those
    /// roots.
    func beginPolling(_ table: MountTable) {
        let interval = pollInterval
        var reported: Set<String> = []
        for index in confined.roots.indices {
            let path = confined.roots[index].path.string
            let others = table.mounts(holding: path).filter { WatchEngine.isShared($0.type) }
            confined.roots[index].isPolled =
                interval != .never && (options.pollsEverywhere || !others.isEmpty)
            for mount in others where reported.insert(mount.path).inserted {
                report(FileTreeError(sharedAt: FilePath(mount.path), mount.type, interval))
            }
        }
        confined.counts.polledRoots = confined.roots.count { $0.isPolled }
        if confined.counts.polledRoots > 0 { schedulePoll(interval) }
    }

    private func schedulePoll(_ interval: DispatchTimeInterval) {
        queue.asyncAfter(deadline: .now() + interval) { [weak self] in self?.poll(interval) }
    }

    private func poll(_ interval: DispatchTimeInterval) {
        guard confined.phase != .cancelled else { return }
        // After a comparison of all folders that goes on.
        guard confined.phase == .ready, !confined.isRepairing, confined.pending.isEmpty else {
            return schedulePoll(interval)
        }
        confined.counts.polls += 1
        confined.pollStart = MonotonicClock.nanoseconds()
        compareRoots(isPoll: true)
        scheduleRun()
    }

    /// Called when a comparison is over. Large trees are polled less often.
    func notePollEnd() {
        guard confined.pollStart != 0 else { return }
        let duration = MonotonicClock.nanoseconds() - confined.pollStart
        confined.pollStart = 0
        let rest = UInt64(pollInterval.clampedNanoseconds)
        let pause = max(rest, duration * WatchEngine.pollPause)
        schedulePoll(.nanoseconds(Int(min(pause, UInt64(Int64.max)))))
    }

    private var pollInterval: DispatchTimeInterval {
        let interval = options.pollInterval
        return interval.clampedNanoseconds < WatchEngine.shortestPoll
            ? .nanoseconds(WatchEngine.shortestPoll) : interval
    }
}
