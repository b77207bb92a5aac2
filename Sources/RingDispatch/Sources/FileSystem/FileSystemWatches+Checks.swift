internal import LinuxPlatform

extension FileSystemWatches {
    /// Restores the due watches that the kernel has dropped, and reports changes that may have been
    /// missed.
    func checkWatches() -> Outcome {
        var outcome = Outcome()
        let now = MonotonicClock.nanoseconds()
        let due = checks.filter { $0.deadline <= now }
        checks.removeAll { $0.deadline <= now }
        for check in due where isCurrent(check.node) {
            let before = check.node.watch
            do throws(SystemError) {
                try watchAgain(check.node)
            } catch {
                abandon(check.node, error, &outcome)
                continue
            }
            if check.node.watch != before || !isCurrent(check.node) {
                reader?.inotify.unwatch(before)
                examine([check.node], isThorough: true)
            }
            if isCurrent(check.node), let next = check.next() { checks.append(next) }
        }
        return outcome
    }
}
