internal import CRing
internal import Glibc

/// The dispositions of signals while somebody wants their deliveries counted: a handler that counts
/// a delivery, writes to a descriptor, and passes it on to the handler that was there before.
///
/// Belongs to whoever has its lock. A handler is never replaced while the program may still call
/// it: one that the program has covered with its own stays as it is, with what it passes on to,
/// and the next one is installed a level higher.
package struct SignalHandlers {
    /// The highest level that a handler of the program may still call, by signal.
    private var highestLevels: [Int32: Int32] = [:]
    /// What was found installed. Never freed: a handler may be reading it at any time.
    private var known: [Int32: [UnsafeMutablePointer<sigaction>]] = [:]

    /// - Parameter wake: what handlers write to. Stays open as long as the process.
    package init(wake: borrowing EventDescriptor) {
        cring_signal_set_wake(wake.number)
    }

    /// From now on deliveries are counted.
    package mutating func take(_ number: Int32) {
        let present = disposition(of: number)
        let found = withUnsafePointer(to: present) { cring_signal_level($0) }
        if found >= 0 {
            cring_signal_set_counting(number, found)
            return
        }
        let isFunction = withUnsafePointer(to: present) { cring_signal_is_function($0) }
        // Where no function is installed, nothing is left that could call one of ours.
        let level = isFunction ? (highestLevels[number] ?? -1) + 1 : 0
        guard level < CRING_SIGNAL_LEVELS else {
            Diagnostics.log(
                "handlers of signal \(number) were installed over the signal source's too often; "
                    + "it sees what they pass on: take them away before its last source ends")
            return
        }
        highestLevels[number] = level
        cring_signal_set_earlier(level, number, record(present, of: number))
        // While the level below counts, it does so until the new handler is there.
        if cring_signal_counting(number) < 0 { cring_signal_set_counting(number, level) }
        install(level, of: number, over: present)
        cring_signal_set_counting(number, level)
    }

    /// Deliveries are not counted any more. What was there before comes back, unless the program
    /// has installed something else since.
    package mutating func giveBack(_ number: Int32) {
        let level = cring_signal_counting(number)
        guard level >= 0 else { return }
        let present = disposition(of: number)
        if withUnsafePointer(to: present, { cring_signal_level($0) }) == level {
            // Without a record it was for one delivery, which has come.
            var earlier = cring_signal_earlier(level, number)?.pointee ?? sigaction()
            sigaction(number, &earlier, nil)
            highestLevels[number] = level > 0 ? level - 1 : nil
        }
        cring_signal_set_counting(number, -1)
        _ = cring_signal_take_count(number)
    }

    /// How many deliveries were counted since the last call.
    package func takeCount(_ number: Int32) -> UInt { UInt(cring_signal_take_count(number)) }

    /// Whether nobody misses a delivery that is taken away before its handler is called: there is
    /// no handler of the program's.
    package func isOurs(_ number: Int32) -> Bool {
        let present = disposition(of: number)
        return withUnsafePointer(to: present) { present in
            guard cring_signal_is_function(present) else { return true }
            let level = cring_signal_level(present)
            guard level >= 0 else { return false }
            guard let earlier = cring_signal_earlier(level, number) else { return true }
            return !cring_signal_is_function(earlier)
        }
    }

    private func disposition(of number: Int32) -> sigaction {
        var present = sigaction()
        sigaction(number, nil, &present)
        return present
    }

    private func install(_ level: Int32, of number: Int32, over earlier: sigaction) {
        var action = earlier
        if !withUnsafePointer(to: earlier, { cring_signal_is_function($0) }) {
            // Calls of the program go on; nobody but the source wants to know.
            action.sa_flags |= SA_RESTART | Int32(bitPattern: UInt32(SA_ONSTACK))
            let isIgnored = unsafeBitCast(
                earlier.__sigaction_handler.sa_handler, to: Int.self) == 1
            // Children of a program that ignores SIGCHLD leave no zombies.
            if number == SIGCHLD && isIgnored { action.sa_flags |= SA_NOCLDWAIT }
        }
        // Else its flags and mask are what the handler that is called from ours expects.
        action.sa_flags &= ~Int32(bitPattern: UInt32(SA_RESETHAND))
        cring_signal_prepare(&action, level)
        sigaction(number, &action, nil)
    }

    /// A copy of `action` for the handlers: the same for the same action, so that a program that
    /// makes sources again and again does not fill the memory.
    private mutating func record(
        _ action: sigaction, of number: Int32
    ) -> UnsafeMutablePointer<sigaction> {
        var action = action
        for record in known[number, default: []] where cring_signal_is_same(record, &action) {
            return record
        }
        let record = UnsafeMutablePointer<sigaction>.allocate(capacity: 1)
        record.initialize(to: action)
        known[number, default: []].append(record)
        return record
    }
}
