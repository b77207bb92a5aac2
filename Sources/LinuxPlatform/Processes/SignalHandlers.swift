internal import CLinux
internal import Glibc

/// The dispositions of signals whose deliveries are counted. The library's handler counts a
/// delivery, writes to a descriptor, and calls the handler that was installed before it (its
/// "earlier action").
///
/// If the program installs a handler over the library's, the library's handler keeps its earlier
/// action, and the next `take` only resumes counting: it sees the deliveries that the program's
/// handler passes on. In every other case `take` installs the library's handler over the present
/// one. So the library's handler never calls itself.
///
/// The owner's lock guards this value.
package struct SignalHandlers {
    /// Signals whose handler is the library's, or a handler of the program that may call it.
    private var installed: Set<Int32> = []
    /// The earlier actions. Never freed: a running handler may read one at any time.
    private var known: [Int32: [UnsafeMutablePointer<sigaction>]] = [:]

    /// - Parameter wake: the eventfd that handlers write to. Must stay open until the process ends.
    package init(wake: borrowing EventDescriptor) {
        clinux_signal_set_wake(wake.number)
    }

    /// Starts counting deliveries of a signal.
    package mutating func take(_ number: Int32) {
        let present = disposition(of: number)
        let (isOurs, isFunction) = withUnsafePointer(to: present) {
            (clinux_signal_is_ours($0), clinux_signal_is_function($0))
        }
        if isOurs || isFunction && installed.contains(number) {
            clinux_signal_set_counting(number, true)
            return
        }
        installed.insert(number)
        clinux_signal_set_earlier(number, record(present, of: number))
        clinux_signal_set_counting(number, true)
        install(number, over: present, isFunction: isFunction)
    }

    /// Stops counting, and restores the earlier action unless the program has installed another
    /// one.
    package mutating func giveBack(_ number: Int32) {
        let present = disposition(of: number)
        if withUnsafePointer(to: present, { clinux_signal_is_ours($0) }) {
            // No record: the earlier action was SA_RESETHAND, and its one delivery has happened.
            var earlier = clinux_signal_earlier(number)?.pointee ?? sigaction()
            sigaction(number, &earlier, nil)
            installed.remove(number)
        }
        clinux_signal_set_counting(number, false)
        _ = clinux_signal_take_count(number)
    }

    /// Deliveries counted since the last call.
    package func takeCount(_ number: Int32) -> UInt { UInt(clinux_signal_take_count(number)) }

    /// Whether a signalfd may dequeue the signal: the program has no handler that would miss it.
    package func isOurs(_ number: Int32) -> Bool {
        let present = disposition(of: number)
        return withUnsafePointer(to: present) { present in
            guard clinux_signal_is_function(present) else { return true }
            guard clinux_signal_is_ours(present) else { return false }
            guard let earlier = clinux_signal_earlier(number) else { return true }
            return !clinux_signal_is_function(earlier)
        }
    }

    private func disposition(of number: Int32) -> sigaction {
        var present = sigaction()
        sigaction(number, nil, &present)
        return present
    }

    private func install(_ number: Int32, over earlier: sigaction, isFunction: Bool) {
        var action = earlier
        if !isFunction {
            // Counting must not interrupt the program's system calls.
            action.sa_flags |= SA_RESTART | Int32(bitPattern: UInt32(SA_ONSTACK))
            let isIgnored =
                unsafeBitCast(
                    earlier.__sigaction_handler.sa_handler, to: Int.self) == 1
            // A program that ignores SIGCHLD expects its children to leave no zombies.
            if number == SIGCHLD && isIgnored { action.sa_flags |= SA_NOCLDWAIT }
        }
        // Otherwise keep the flags and the mask that the earlier handler expects.
        action.sa_flags &= ~Int32(bitPattern: UInt32(SA_RESETHAND))
        clinux_signal_prepare(&action)
        sigaction(number, &action, nil)
    }

    /// Stores a copy of `action` for the handlers. Equal actions share one copy, so memory does not
    /// grow with each source that a program makes.
    private mutating func record(
        _ action: sigaction, of number: Int32
    ) -> UnsafeMutablePointer<sigaction> {
        var action = action
        for record in known[number, default: []] where clinux_signal_is_same(record, &action) {
            return record
        }
        let record = UnsafeMutablePointer<sigaction>.allocate(capacity: 1)
        record.initialize(to: action)
        known[number, default: []].append(record)
        return record
    }
}
