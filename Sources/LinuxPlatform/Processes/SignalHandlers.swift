internal import CLinux
internal import Glibc

/// The dispositions of signals whose deliveries are counted: a handler that counts a delivery,
/// writes to a descriptor, and passes the delivery on to the handler that was there before.
///
/// If the program has installed a handler over ours, ours stays beneath it with what it passes on
/// to, and the next source only resumes counting there: it sees what the program's handler passes
/// on. In every other case ours is installed over what is there, so it never calls itself.
///
/// The lock of its owner guards it.
package struct SignalHandlers {
    /// Signals whose handler is ours, or a handler of the program that may call ours.
    private var installed: Set<Int32> = []
    /// The actions that were found installed. Never freed: a handler may be reading one at any
    /// time.
    private var known: [Int32: [UnsafeMutablePointer<sigaction>]] = [:]

    /// - Parameter wake: what handlers write to. Stays open as long as the process.
    package init(wake: borrowing EventDescriptor) {
        clinux_signal_set_wake(wake.number)
    }

    /// From now on deliveries are counted.
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

    /// Deliveries are not counted any more. The earlier action comes back, unless the program has
    /// installed something else since.
    package mutating func giveBack(_ number: Int32) {
        let present = disposition(of: number)
        if withUnsafePointer(to: present, { clinux_signal_is_ours($0) }) {
            // Without a record it was for one delivery, which has come.
            var earlier = clinux_signal_earlier(number)?.pointee ?? sigaction()
            sigaction(number, &earlier, nil)
            installed.remove(number)
        }
        clinux_signal_set_counting(number, false)
        _ = clinux_signal_take_count(number)
    }

    /// How many deliveries were counted since the last call.
    package func takeCount(_ number: Int32) -> UInt { UInt(clinux_signal_take_count(number)) }

    /// Whether the program has no handler that would miss a delivery taken by a signalfd.
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
            // The program's system calls go on; only the source wants to know.
            action.sa_flags |= SA_RESTART | Int32(bitPattern: UInt32(SA_ONSTACK))
            let isIgnored =
                unsafeBitCast(
                    earlier.__sigaction_handler.sa_handler, to: Int.self) == 1
            // Children of a program that ignores SIGCHLD leave no zombies.
            if number == SIGCHLD && isIgnored { action.sa_flags |= SA_NOCLDWAIT }
        }
        // Else its flags and mask are what the handler that is called from ours expects.
        action.sa_flags &= ~Int32(bitPattern: UInt32(SA_RESETHAND))
        clinux_signal_prepare(&action)
        sigaction(number, &action, nil)
    }

    /// A copy of `action` for the handlers: the same for the same action, so that a program that
    /// makes sources again and again does not fill the memory.
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
