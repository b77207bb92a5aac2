/// The io_uring back end with an epoll set beside the ring. The set receives and accepts on
/// readable descriptors. That costs less than the ring's own receiving, whose task work runs on the
/// thread that requested it, after each of its system calls.
///
/// The set contains the ring's descriptor, so one wait covers both.
package final class UringReadinessBackend: UringBackend {
    private let streams: EpollSet

    package init(
        doorbell: Doorbell, settings: BackendSettings = BackendSettings()
    ) throws(SystemError) {
        streams = try EpollSet(bufferCount: settings.receiveBuffers)
        try super.init(doorbell: doorbell, settings: settings, bindsStreams: false)
        try streams.add(bell: descriptor)
    }

    package override func release(descriptor: Int32) { streams.release(descriptor: descriptor) }

    package override func receive(descriptor: Int32, isUnix: Bool, token: UInt64) {
        streams.receive(descriptor: descriptor, isUnix: isUnix, token: token)
        noteStreams()
    }

    package override func accept(descriptor: Int32, token: UInt64) {
        streams.accept(descriptor: descriptor, token: token)
        noteStreams()
    }

    package override func cancelStream(descriptor: Int32, token: UInt64) {
        streams.cancelStream(descriptor: descriptor, token: token)
        noteStreams()
    }

    private func noteStreams() { setMustBeAsked(streams.streamCount > 0) }

    package override var receiveBuffers: ReceiveBuffers { streams.receiveBuffers }

    package override func giveBack(buffer: UInt16) { streams.giveBack(buffer: buffer) }

    // MARK: turns

    package override func submit() {
        guard streams.isInUse else { return super.submit() }
        submitIfNeeded()
        streams.take(timeoutNanoseconds: 0)
    }

    package override func wait(timeoutNanoseconds: UInt64?) {
        guard streams.isInUse else { return super.wait(timeoutNanoseconds: timeoutNanoseconds) }
        // Task work of the ring for this thread interrupts the wait.
        submitIfNeeded()
        streams.take(timeoutNanoseconds: timeoutNanoseconds)
    }

    private func submitIfNeeded() {
        if hasUnsubmitted || needsEnter { super.submit() }
    }

    package override var canReap: Bool { hasCompletions || streams.hasEvents }

    package override func reap(into buffer: UnsafeMutableBufferPointer<Completion>) -> Int {
        let count = super.reap(into: buffer)
        guard streams.hasEvents, let start = buffer.baseAddress else { return count }
        defer { noteStreams() }
        return count + streams.reap(into: start + count, room: buffer.count - count)
    }
}
