internal import LinuxPlatform
internal import Synchronization

/// What the handlers of a loop have sent, to be passed to the kernel at once.
///
/// It leaves when the loop has nothing more to run, when it is old, before the worker blocks in the
/// library, and when a tick of the monitor finds it old.
class OutgoingBatch: @unchecked Sendable {
    // Safety: the fields are atomic.
    /// When its first send was added, in ticks; 0: it is empty. A subclass stores it under its
    /// lock, for the first send sequentially consistent: the store of a store-then-check with the
    /// loop's state. A worker that takes the loop over loads it (the same) after it has changed the
    /// state.
    final let start = Atomic<UInt64>(0)

    /// Statistics: the sends that have left, the system calls that took them, and the sends that
    /// the kernel took only in part. Only the holder of the subclass's lock stores them (relaxed).
    final let sends = Atomic<Int>(0)
    final let submissions = Atomic<Int>(0)
    final let shortSends = Atomic<Int>(0)

    final func count(sends more: Int) {
        sends.store(sends.load(ordering: .relaxed) &+ more, ordering: .relaxed)
        submissions.store(submissions.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    final func countShortSend() {
        shortSends.store(shortSends.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    }

    /// Passes everything to the kernel. From any thread.
    func submit() {}

    final var isEmpty: Bool {
        @inline(__always) get { start.load(ordering: .sequentiallyConsistent) == 0 }
    }

    /// Passes the batch to the kernel if it is old.
    @inline(__always)
    final func submitIfOld() {
        let start = start.load(ordering: .relaxed)
        if start != 0 && Ticks.now() &- start > Tuning.batchTicks { submit() }
    }
}
