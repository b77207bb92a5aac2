internal import CRing
internal import Glibc

/// The epoll back end, for places where io_uring is refused.
///
/// Watches are one-shot for the caller, but a descriptor stays registered, level-triggered, between
/// two watches: in the steady state of a server no epoll_ctl is needed at all. Only when an event
/// comes for which no watch is out is the registration cut down to what is wanted.
package final class EpollKernel: Kernel {
    private let epoll: OwnedDescriptor
    private let bell: OwnedDescriptor
    private let events: UnsafeMutableBufferPointer<epoll_event>
    /// By descriptor number.
    @exclusivity(unchecked) private var registrations: [Registration] = []
    /// Completions that are ready to be reaped.
    @exclusivity(unchecked) private var ready: [Completion] = []
    @exclusivity(unchecked) private var firstReady = 0

    private struct Watch {
        var events: UInt32
        var token: UInt64
    }

    /// What the kernel was told of a descriptor, and the watches that are out on it.
    private struct Registration {
        var registeredEvents: UInt32 = 0
        var first: Watch?
        var others: [Watch] = []

        var wantedEvents: UInt32 {
            others.reduce(first?.events ?? 0) { $0 | $1.events }
        }

        mutating func add(_ watch: Watch) {
            if first == nil { first = watch } else { others.append(watch) }
        }

        mutating func remove(token: UInt64) -> Bool {
            if first?.token == token {
                first = others.popLast()
                return true
            }
            guard let index = others.firstIndex(where: { $0.token == token }) else { return false }
            others.remove(at: index)
            return true
        }
    }

    package init() throws(KernelError) {
        epoll = OwnedDescriptor(
            adopting: try checked("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) })
        bell = OwnedDescriptor(
            adopting: try checked("eventfd") {
                eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
            })
        events = .allocate(capacity: 256)
        var event = epoll_event(
            events: PollEvents.readable, data: epoll_data_t(fd: bell.number))
        let (set, number) = (epoll.number, bell.number)
        do {
            try checked("epoll_ctl") { epoll_ctl(set, EPOLL_CTL_ADD, number, &event) }
        } catch {
            events.deallocate()
            throw error
        }
        super.init(backend: .epoll, watchesMigrate: false)
    }

    deinit {
        events.deallocate()
    }

    // MARK: watches

    package override func watch(descriptor: Int32, events: UInt32, token: UInt64) {
        guard descriptor >= 0 else {
            ready.append(Completion(token: token, result: -EBADF))
            return
        }
        let index = Int(descriptor)
        if index >= registrations.count {
            let room = max(index + 1, registrations.count * 2) - registrations.count
            registrations.append(contentsOf: repeatElement(Registration(), count: room))
        }
        registrations[index].add(Watch(events: events, token: token))
        let wanted = registrations[index].registeredEvents | events
        guard wanted != registrations[index].registeredEvents else { return }
        let code = register(descriptor, wanted)
        guard code != 0 else { return }
        _ = registrations[index].remove(token: token)
        // EPERM: a regular file or a directory, which poll(2) calls ready at all times.
        ready.append(Completion(token: token, result: code == EPERM ? Int32(events) : -code))
    }

    package override func cancelWatch(descriptor: Int32, token: UInt64) {
        let index = Int(descriptor)
        guard index < registrations.count, registrations[index].remove(token: token) else { return }
        ready.append(Completion(token: token, result: -ECANCELED))
    }

    package override func release(descriptor: Int32) {
        let index = Int(descriptor)
        guard index >= 0, index < registrations.count else { return }
        let wanted = registrations[index].wantedEvents
        if wanted == 0 {
            forget(descriptor)
        } else {
            _ = register(descriptor, wanted)
        }
    }

    /// Tells the kernel of a descriptor's events; 0, or the errno.
    private func register(_ descriptor: Int32, _ wanted: UInt32) -> Int32 {
        var event = epoll_event(events: wanted, data: epoll_data_t(fd: descriptor))
        let isKnown = registrations[Int(descriptor)].registeredEvents != 0
        var operation = isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
        var result = epoll_ctl(epoll.number, operation, descriptor, &event)
        if result != 0 && (errno == ENOENT || errno == EEXIST) {
            // The number was closed, or closed and opened again, behind our back.
            operation = errno == ENOENT ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
            result = epoll_ctl(epoll.number, operation, descriptor, &event)
        }
        registrations[Int(descriptor)].registeredEvents = result == 0 ? wanted : 0
        return result == 0 ? 0 : errno
    }

    private func forget(_ descriptor: Int32) {
        guard registrations[Int(descriptor)].registeredEvents != 0 else { return }
        registrations[Int(descriptor)].registeredEvents = 0
        // A descriptor that was closed already is gone from the set, too.
        _ = epoll_ctl(epoll.number, EPOLL_CTL_DEL, descriptor, nil)
    }

    // MARK: turns

    /// epoll_ctl acts at once; watches that were refused wait as completions.
    package override var hasUnsubmitted: Bool { false }

    package override func submit() {
        take(timeoutNanoseconds: 0)
    }

    package override func wait(timeoutNanoseconds: UInt64?) {
        take(timeoutNanoseconds: firstReady < ready.count ? 0 : timeoutNanoseconds)
    }

    private func take(timeoutNanoseconds: UInt64?) {
        let count: Int32
        if let nanoseconds = timeoutNanoseconds {
            var timeout = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            count = cring_epoll_wait(
                epoll.number, events.baseAddress, Int32(events.count), &timeout)
        } else {
            count = cring_epoll_wait(epoll.number, events.baseAddress, Int32(events.count), nil)
        }
        if count < 0 {
            if count != -EINTR { fatalKernel(KernelError(call: "epoll_wait", code: -count)) }
            return
        }
        for index in 0..<Int(count) {
            let event = events[index]
            if event.data.fd == bell.number {
                var value: UInt64 = 0
                _ = read(bell.number, &value, 8)
            } else {
                deliver(event.events, to: event.data.fd)
            }
        }
    }

    private func deliver(_ events: UInt32, to descriptor: Int32) {
        let index = Int(descriptor)
        let always = PollEvents.error | PollEvents.hangUp
        var delivered = false
        func isMeant(_ watch: Watch) -> Bool { events & (watch.events | always) != 0 }
        func complete(_ watch: Watch) {
            let result = Int32(bitPattern: events & (watch.events | always))
            ready.append(Completion(token: watch.token, result: result))
            delivered = true
        }
        if !registrations[index].others.isEmpty {
            for watch in registrations[index].others where isMeant(watch) { complete(watch) }
            registrations[index].others.removeAll(where: isMeant)
        }
        if let watch = registrations[index].first, isMeant(watch) {
            complete(watch)
            registrations[index].first = registrations[index].others.popLast()
        }
        if !delivered {
            let wanted = registrations[index].wantedEvents
            if wanted == 0 { forget(descriptor) } else { _ = register(descriptor, wanted) }
        }
    }

    package override func reap(into buffer: UnsafeMutableBufferPointer<Completion>) -> Int {
        let count = min(buffer.count, ready.count - firstReady)
        for index in 0..<count { buffer[index] = ready[firstReady + index] }
        firstReady += count
        if firstReady == ready.count {
            ready.removeAll(keepingCapacity: true)
            firstReady = 0
        }
        return count
    }

    package override func wake() {
        var one: UInt64 = 1
        // EAGAIN: the bell already rings.
        _ = write(bell.number, &one, 8)
    }

    /// epoll has no memory that other threads may look into; a stand-in finds out by serving it.
    package override var hasCompletions: Bool { false }
    package override var needsEnter: Bool { false }
}
