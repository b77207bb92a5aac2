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

    @exclusivity(unchecked) private var buffers: EpollBuffers?
    private let settings: KernelSettings

    private struct Watch {
        var events: UInt32
        var token: UInt64
    }

    /// What goes on by itself: this back end makes the calls that a ring would make.
    private struct Stream {
        var token: UInt64
        var isListener: Bool
    }

    /// What the kernel was told of a descriptor, and the watches that are out on it.
    private struct Registration {
        var registeredEvents: UInt32 = 0
        var first: Watch?
        var stream: Stream?
        var others: [Watch] = []

        var wantedEvents: UInt32 {
            let events = stream == nil ? 0 : PollEvents.readable | PollEvents.readHangUp
            return others.reduce(events | (first?.events ?? 0)) { $0 | $1.events }
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

    package init(settings: KernelSettings = KernelSettings()) throws(KernelError) {
        self.settings = settings
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
        buffers?.memory.free()
    }

    // MARK: watches

    package override func watch(descriptor: Int32, events: UInt32, token: UInt64) {
        guard descriptor >= 0 else {
            ready.append(Completion(token: token, result: -EBADF))
            return
        }
        let index = Int(descriptor)
        makeRoom(for: index)
        registrations[index].add(Watch(events: events, token: token))
        let wanted = registrations[index].registeredEvents | events
        guard wanted != registrations[index].registeredEvents else { return }
        let code = register(descriptor, wanted)
        guard code != 0 else { return }
        _ = registrations[index].remove(token: token)
        // EPERM: a regular file or a directory, which poll(2) calls ready at all times.
        ready.append(Completion(token: token, result: code == EPERM ? Int32(events) : -code))
    }

    private func makeRoom(for index: Int) {
        guard index >= registrations.count else { return }
        let room = max(index + 1, registrations.count * 2) - registrations.count
        registrations.append(contentsOf: repeatElement(Registration(), count: room))
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

    // MARK: sockets

    package override func receive(descriptor: Int32, isUnix: Bool, token: UInt64) {
        begin(Stream(token: token, isListener: false), of: descriptor)
    }

    package override func accept(descriptor: Int32, token: UInt64) {
        begin(Stream(token: token, isListener: true), of: descriptor)
    }

    private func begin(_ stream: Stream, of descriptor: Int32) {
        guard descriptor >= 0 else {
            ready.append(Completion(token: stream.token, result: -EBADF))
            return
        }
        let index = Int(descriptor)
        makeRoom(for: index)
        registrations[index].stream = stream
        // Whatever is known of the number: it may have been closed, and be another's by now, and
        // nobody asks again.
        let wanted = registrations[index].registeredEvents | registrations[index].wantedEvents
        let code = register(descriptor, wanted)
        if code != 0 { end(descriptor, -code) }
    }

    package override func cancelStream(descriptor: Int32, token: UInt64) {
        let index = Int(descriptor)
        guard index < registrations.count, registrations[index].stream?.token == token else {
            return
        }
        end(descriptor, -ECANCELED)
    }

    /// The last completion. The registration is cut down when the descriptor is released, or when
    /// an event comes that nobody waits for.
    private func end(_ descriptor: Int32, _ result: Int32) {
        guard let stream = registrations[Int(descriptor)].stream.take() else { return }
        ready.append(Completion(token: stream.token, result: result))
    }

    /// Calls for one descriptor in a row; what is left comes with the next turn.
    private static let callsInARow = 8

    private func receiveAll(_ descriptor: Int32, _ token: UInt64) {
        for _ in 0..<EpollKernel.callsInARow {
            guard let number = takeBuffer() else { return end(descriptor, -ENOBUFS) }
            let count = recv(
                descriptor, receiveBuffers[number], ReceiveBuffers.size, Int32(MSG_DONTWAIT))
            let code = errno
            guard count > 0 else {
                giveBack(buffer: number)
                if count == 0 { return end(descriptor, 0) }
                if code == EAGAIN { return }
                if code == EINTR { continue }
                return end(descriptor, -code)
            }
            let flags =
                Completion.bufferFlag | Completion.moreFlag
                | UInt32(number) << Completion.bufferShift
            ready.append(Completion(token: token, result: Int32(count), flags: flags))
            if count < ReceiveBuffers.size { return }
        }
    }

    private func acceptAll(_ descriptor: Int32, _ token: UInt64) {
        for _ in 0..<EpollKernel.callsInARow {
            let accepted = cring_accept(descriptor)
            switch -accepted {
            case ...0:
                ready.append(
                    Completion(token: token, result: accepted, flags: Completion.moreFlag))
            case EAGAIN:
                return
            case EINTR:
                continue
            default:
                return end(descriptor, accepted)
            }
        }
    }

    package override var receiveBuffers: ReceiveBuffers {
        if let buffers { return buffers.memory }
        let made = EpollBuffers(count: settings.receiveBuffers)
        buffers = made
        return made.memory
    }

    private func takeBuffer() -> UInt16? {
        _ = receiveBuffers
        return buffers?.free.popLast()
    }

    package override func giveBack(buffer: UInt16) {
        buffers?.free.append(buffer)
    }

    // MARK: turns

    /// epoll_ctl acts at once; watches that were refused wait as completions.
    package override var hasUnsubmitted: Bool { false }

    package override func submit() {
        take(timeoutNanoseconds: 0)
    }

    package override func wait(timeoutNanoseconds: UInt64?) {
        // What was taken in and not handled yet is still ready: it would be told once more, find
        // nobody that waits for it, and have to be registered anew.
        guard firstReady == ready.count else { return }
        take(timeoutNanoseconds: timeoutNanoseconds)
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
        if let stream = registrations[index].stream, events & PollEvents.mayRead != 0 {
            delivered = true
            if stream.isListener {
                acceptAll(descriptor, stream.token)
            } else {
                receiveAll(descriptor, stream.token)
            }
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

/// The receive buffers, and the numbers of those that are free. The last one given back is the
/// next one taken, for it is in the cache.
private struct EpollBuffers {
    let memory: ReceiveBuffers
    var free: [UInt16]

    init(count: Int) {
        memory = ReceiveBuffers(count: count)
        free = (0..<memory.initialCount).reversed().map { UInt16($0) }
    }
}
