internal import LinuxPlatform
internal import Synchronization

/// A counting semaphore without an owner: any thread may signal. `dispatch_semaphore_t`.
///
/// Releasing a semaphore whose value is below its initial one ends the process.
public final class DispatchSemaphore: DispatchObject, @unchecked Sendable {
    // Safety: all state is atomic or locked. Available signals, or, negated, waiting threads.
    // `signal` (releasing) pairs with `wait` (acquiring).
    private let value: Atomic<Int>
    private let initial: Int
    private let waiters = Locked(WaitList<ThreadHandle>())

    /// Signals for threads counted in `value` but not on the list yet. Incremented under the lock;
    /// a thread rechecks it under the lock before it joins the list.
    private let credits = Atomic<Int>(0)

    /// Creates a semaphore. `dispatch_semaphore_create`.
    /// - Parameter value: the number of waits that pass at once; not negative.
    public init(value: Int) {
        guard value >= 0 else {
            fatalMisuse("a semaphore's initial value cannot be negative: \(value)")
        }
        self.value = Atomic(value)
        initial = value
    }

    deinit {
        let value = value.load(ordering: .relaxed)
        if value < initial {
            fatalMisuse(
                "a semaphore was released while in use: its value is \(value), but it was "
                    + "created with \(initial)")
        }
    }

    /// Waits for a signal. `dispatch_semaphore_wait`.
    public func wait() {
        if value.wrappingSubtract(1, ordering: .acquiring).oldValue <= 0 {
            _ = waitCounted(deadline: .max)
        }
    }

    /// Waits for a signal with a time-out; `.now()` polls.
    public func wait(timeout: DispatchTime) -> DispatchTimeoutResult {
        Self.takeOne(of: value) ? .success : waitSlowly(deadline: timeout.monotonicDeadline)
    }

    /// Waits for a signal with a time-out by the wall clock.
    public func wait(wallTimeout: DispatchWallTime) -> DispatchTimeoutResult {
        Self.takeOne(of: value)
            ? .success : waitSlowly(deadline: wallTimeout.monotonicDeadline)
    }

    /// Lets one wait pass. `dispatch_semaphore_signal`.
    /// - Returns: nonzero if a thread was waiting.
    @discardableResult
    public func signal() -> Int {
        let old = value.wrappingAdd(1, ordering: .releasing).oldValue
        if old >= 0 {
            if old == .max { fatalMisuse("too many signal() calls on a semaphore") }
            return 0
        }
        signalSlowly()
        return 1
    }

    private static func takeOne(of count: borrowing Atomic<Int>) -> Bool {
        var old = count.load(ordering: .relaxed)
        while old > 0 {
            let (exchanged, original) = count.weakCompareExchange(
                expected: old, desired: old - 1, ordering: .acquiring)
            if exchanged { return true }
            old = original
        }
        return false
    }

    @inline(never)
    private func signalSlowly() {
        let waiter = waiters.withLock { waiters -> ThreadHandle? in
            if let threadHandle = waiters.popFirst() { return threadHandle }
            credits.wrappingAdd(1, ordering: .releasing)
            return nil
        }
        waiter?.grant()
    }

    private func waitSlowly(deadline: UInt64) -> DispatchTimeoutResult {
        if deadline <= MonotonicClock.nanoseconds() { return .timedOut }
        if value.wrappingSubtract(1, ordering: .acquiring).oldValue > 0 { return .success }
        return waitCounted(deadline: deadline)
    }

    /// Waits for a signal after the thread has decremented `value`.
    @inline(never)
    private func waitCounted(deadline: UInt64) -> DispatchTimeoutResult {
        let context = Context.current
        // A signal that arrives while this thread spins costs its sender no wake-up.
        if context.pointee.spin.spin(until: { Self.takeOne(of: credits) }) { return .success }
        let threadHandle = context.pointee.threadHandle
        let isCredited = waiters.withLock { waiters -> Bool in
            if Self.takeOne(of: credits) { return true }
            waiters.append(threadHandle)
            return false
        }
        if isCredited { return .success }
        if Blocking.sleep(context, deadline: deadline) { return .success }
        return giveUp(threadHandle)
    }

    /// Removes the thread from the list after its time-out, and undoes its decrement.
    private func giveUp(_ threadHandle: ThreadHandle) -> DispatchTimeoutResult {
        let isRemoved = waiters.withLock { waiters -> Bool in
            guard waiters.remove(threadHandle) else { return false }
            var old = value.load(ordering: .relaxed)
            while old < 0 {
                let (exchanged, original) = value.weakCompareExchange(
                    expected: old, desired: old + 1, ordering: .relaxed)
                if exchanged { return true }
                old = original
            }
            // A signal has counted this thread and is about to search the list for it.
            waiters.append(threadHandle)
            return false
        }
        if isRemoved { return .timedOut }
        _ = threadHandle.park()
        return .success
    }
}
