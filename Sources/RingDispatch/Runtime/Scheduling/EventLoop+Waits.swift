// Waits and watches, from any thread.
extension EventLoop {
    /// Begins a wait; see `Readiness.begin`.
    @inline(__always)
    func begin(_ wait: DescriptorWait, for descriptor: Int32, isFirst: Bool) -> Int32 {
        let code = readiness.begin(wait, for: descriptor, isFirst: isFirst)
        callWorkerIfNeeded()
        return code
    }

    /// Adds a watch; see `Readiness.add`.
    func begin(_ watch: EventReceiver) -> Int32 {
        let code = readiness.add(watch)
        callWorkerIfNeeded()
        return code
    }

    /// After a wait or a watch has begun: a parked worker receives the new events; an idle loop has
    /// none. Store-then-check: the count of waits has been stored.
    @inline(__always)
    func callWorkerIfNeeded() {
        if isSleeping, loopState.phase == .idle { wake() }
    }
}
