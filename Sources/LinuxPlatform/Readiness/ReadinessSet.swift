internal import CLinux
internal import Glibc

/// Which descriptors are ready: an epoll(7) set, and its last batch of events.
///
/// Any thread may add, change and remove descriptors. One thread at a time waits, and reads the
/// events.
@usableFromInline
package struct ReadinessSet: ~Copyable, Sendable {
    // Safety: the kernel orders the calls; the waiting thread owns the memory of the events.
    private let epoll: OwnedDescriptor
    private nonisolated(unsafe) let events: UnsafeMutableBufferPointer<epoll_event>

    /// Most events of one wait.
    package static let batch = 64

    /// Only ends a wait.
    private let bell: EventDescriptor
    /// The token of the bell's events. No descriptor has it.
    @inlinable package static var bellToken: UInt64 { .max }

    package init() throws(SystemError) {
        let bell = try EventDescriptor()
        epoll = try ReadinessSet.make(bell: bell.number)
        self.bell = bell
        events = .allocate(capacity: ReadinessSet.batch)
    }

    private static func make(bell: Int32) throws(SystemError) -> OwnedDescriptor {
        let epoll = OwnedDescriptor(
            adopting: try checked("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) })
        // Edge-triggered, so that nobody needs to read it.
        var event = epoll_event(
            events: PollEvents.readable | PollEvents.edgeTriggered,
            data: epoll_data_t(u64: ReadinessSet.bellToken))
        let number = epoll.number
        try checked("epoll_ctl") { epoll_ctl(number, EPOLL_CTL_ADD, bell, &event) }
        return epoll
    }

    deinit { events.deallocate() }

    // MARK: from any thread

    /// EPOLL_CTL_ADD. Returns 0 or the errno; EPERM for a regular file or a directory.
    package func add(_ descriptor: Int32, for events: UInt32, token: UInt64) -> Int32 {
        change(EPOLL_CTL_ADD, descriptor, events, token)
    }

    /// EPOLL_CTL_MOD. Returns 0 or the errno.
    package func modify(_ descriptor: Int32, for events: UInt32, token: UInt64) -> Int32 {
        change(EPOLL_CTL_MOD, descriptor, events, token)
    }

    /// EPOLL_CTL_DEL. Returns 0 or the errno. A descriptor's entry survives its close(2) while a
    /// duplicate is open, so remove it first.
    package func remove(_ descriptor: Int32) -> Int32 {
        change(EPOLL_CTL_DEL, descriptor, 0, 0)
    }

    private func change(
        _ operation: Int32, _ descriptor: Int32, _ events: UInt32, _ token: UInt64
    ) -> Int32 {
        var event = epoll_event(events: events, data: epoll_data_t(u64: token))
        return epoll_ctl(epoll.number, operation, descriptor, &event) == 0 ? 0 : errno
    }

    /// Whether a wait would return events at once. poll(2).
    package var isReady: Bool {
        Descriptors.poll(epoll.number, events: PollEvents.readable) != 0
    }

    /// Ends the wait, or the next one.
    package func ring() { bell.signal() }

    // MARK: for the thread that waits

    /// Waits for events (nil: without limit; 0: not at all). A signal may end the wait early.
    /// epoll_pwait2(2).
    /// - Returns: the number of events, which `subscript` returns until the next wait.
    package func wait(timeoutNanoseconds: UInt64?) -> Int {
        var timeout = timespec()
        if let nanoseconds = timeoutNanoseconds {
            timeout.tv_sec = Int(nanoseconds / 1_000_000_000)
            timeout.tv_nsec = Int(nanoseconds % 1_000_000_000)
        }
        let count = withUnsafePointer(to: &timeout) {
            clinux_epoll_wait(
                epoll.number, events.baseAddress, Int32(events.count),
                timeoutNanoseconds == nil ? nil : $0)
        }
        if count < 0 && count != -EINTR {
            fatalSystemError(SystemError(call: "epoll_wait", code: -count))
        }
        return max(0, Int(count))
    }

    @inline(__always)
    package subscript(index: Int) -> ReadinessEvent {
        ReadinessEvent(events: events[index].events, token: events[index].data.u64)
    }

    /// Replaces the set by one with the same descriptor that contains only the bell. There is no
    /// other way to get rid of an entry whose number names another file by now.
    package func empty() throws(SystemError) {
        let new = try ReadinessSet.make(bell: bell.number)
        let (number, newNumber) = (epoll.number, new.number)
        try checked("dup3") { clinux_dup3(newNumber, number) }
    }
}
