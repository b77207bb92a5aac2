import RingDispatch

extension Shard {
    /// Keys that one turn of the timer removes at most: commands get their turn in between.
    private static let keysPerTurn = 256
    /// How late a key may be removed that nobody asks for.
    private static let leewayMilliseconds: Int64 = 100

    /// A key lives to the end of its last millisecond, so that it never goes early.
    @inline(never)
    func isExpired(_ entry: Entry) -> Bool {
        deadlines.deadline(of: entry) < clock()
    }

    /// The milliseconds that a key has left; nil: it does not expire.
    func remainingMilliseconds(_ entry: Entry) -> Int64? {
        entry.hasDeadline ? max(0, deadlines.deadline(of: entry) - clock()) : nil
    }

    /// - Parameter deadline: milliseconds on the clock.
    @inline(never)
    func setDeadline(_ deadline: Int64, for entry: Entry, hash: UInt64) {
        if !entry.hasDeadline { account.charge(DeadlineHeap.nodeBytes) }
        deadlines.set(deadline, for: entry, hash: hash)
        // A deadline a little before the armed one is within the leeway.
        if expiresByTimer, deadline < armedDeadline - Self.leewayMilliseconds { arm() }
    }

    /// Lets a key live for ever; false if it does so anyway.
    @inline(__always)
    func clearDeadline(_ entry: Entry) -> Bool {
        guard entry.hasDeadline else { return false }
        deadlines.remove(entry)
        account.charge(-DeadlineHeap.nodeBytes)
        return true
    }

    /// Sets the timer for the earliest deadline. It stays set when that key goes before: one turn
    /// in vain is cheaper than a new setting for each key.
    private func arm() {
        guard let earliest = deadlines.first?.deadline else {
            armedDeadline = .max
            return
        }
        armedDeadline = earliest
        let delay = min(max(0, earliest - clock()) + 1, Self.longestDelayMilliseconds)
        (timer ?? makeTimer()).schedule(
            deadline: .now() + .milliseconds(Int(delay)),
            leeway: .milliseconds(Int(Self.leewayMilliseconds)))
    }

    /// A year: what comes later is armed again then.
    private static let longestDelayMilliseconds: Int64 = 365 * 24 * 3600 * 1000

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in self?.removeExpired() }
        timer.activate()
        self.timer = timer
        return timer
    }

    /// The timer's handler: removes what has expired, a limited number of keys at a time.
    func removeExpired() {
        let now = clock()
        var removed = 0
        while removed < Self.keysPerTurn, let node = deadlines.first, node.deadline < now {
            remove(table.slot(of: node.entry, hash: node.hash))
            removed += 1
        }
        counts.expired += removed
        if expiresByTimer { arm() }
    }
}
