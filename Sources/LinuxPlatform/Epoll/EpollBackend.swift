internal import CLinux
internal import Glibc

/// The epoll back end, for places where io_uring is refused.
package final class EpollBackend: IOBackend {
    private let epoll: EpollSet
    private let bell: OwnedDescriptor

    package init(settings: BackendSettings = BackendSettings()) throws(SystemError) {
        bell = OwnedDescriptor(
            adopting: try checked("eventfd") {
                eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
            })
        epoll = try EpollSet(bufferCount: settings.receiveBuffers)
        try epoll.add(bell: bell.number)
        super.init(registrationsMigrate: false)
        setMustBeAsked(true)
    }

    package override func register(descriptor: Int32, events: UInt32, token: UInt64) {
        epoll.register(descriptor: descriptor, events: events, token: token)
    }

    package override func cancelRegistration(descriptor: Int32, token: UInt64) {
        epoll.cancelRegistration(descriptor: descriptor, token: token)
    }

    package override func release(descriptor: Int32) { epoll.release(descriptor: descriptor) }

    package override func receive(descriptor: Int32, isUnix: Bool, token: UInt64) {
        epoll.receive(descriptor: descriptor, isUnix: isUnix, token: token)
    }

    package override func accept(descriptor: Int32, token: UInt64) {
        epoll.accept(descriptor: descriptor, token: token)
    }

    package override func cancelStream(descriptor: Int32, token: UInt64) {
        epoll.cancelStream(descriptor: descriptor, token: token)
    }

    package override var receiveBuffers: ReceiveBuffers { epoll.receiveBuffers }

    package override func giveBack(buffer: UInt16) { epoll.giveBack(buffer: buffer) }

    // MARK: turns

    /// epoll_ctl acts at once; refused registrations are queued as completions.
    package override var hasUnsubmitted: Bool { false }

    package override func submit() { epoll.take(timeoutNanoseconds: 0) }

    package override func wait(timeoutNanoseconds: UInt64?) {
        epoll.take(timeoutNanoseconds: timeoutNanoseconds)
    }

    package override var canReap: Bool { epoll.hasEvents }

    package override func reap(into buffer: UnsafeMutableBufferPointer<Completion>) -> Int {
        guard let start = buffer.baseAddress else { return 0 }
        let count = epoll.reap(into: start, room: buffer.count)
        if epoll.bellRang {
            epoll.bellRang = false
            var value: UInt64 = 0
            _ = read(bell.number, &value, 8)
        }
        return count
    }

    package override func wake() {
        var one: UInt64 = 1
        // EAGAIN: the bell already rings.
        _ = write(bell.number, &one, 8)
    }

    /// epoll has no memory that other threads can read; another worker finds out by serving the
    /// loop.
    package override var hasCompletions: Bool { false }
    package override var needsEnter: Bool { false }
}
