internal import CLinux
internal import Glibc

/// An epoll(7) set that knows the waiting registrations and streams of each descriptor. For streams
/// it makes the calls (`recv`, `accept`) itself, and returns completions like a ring.
///
/// Registrations are one-shot for the caller, but a descriptor stays in the set, level-triggered,
/// between two of them: a server in its steady state needs no epoll_ctl. An event that no
/// registration waits for reduces the set's interest to the events that are needed. A TCP stream
/// without other registrations of its descriptor is edge-triggered, so that the kernel need not
/// check it again after each event. Then unread bytes must be requested (`tellAgain`, `begin`).
///
/// For one thread at a time.
final class EpollSet {
    private let epoll: OwnedDescriptor
    /// Whether the bell ended a wait. The caller resets it.
    @exclusivity(unchecked) var bellRang = false
    /// Events from the kernel; those from `nextEvent` on are unprocessed.
    private let events: UnsafeMutableBufferPointer<epoll_event>
    @exclusivity(unchecked) private var nextEvent = 0
    @exclusivity(unchecked) private var eventCount = 0
    /// Indexed by descriptor.
    @exclusivity(unchecked) private var registrations: [EpollRegistration] = []
    /// Indexed by descriptor, up to the highest one that ever had a registration.
    @exclusivity(unchecked) private var oneShots: [RegistrationList] = []
    /// Streams in flight.
    @exclusivity(unchecked) private(set) var streamCount = 0
    /// The destination of completions while it has room.
    @exclusivity(unchecked) private var output = Output()
    /// Completions that found no room in `output`.
    @exclusivity(unchecked) private var ready: [Completion] = []
    @exclusivity(unchecked) private var firstReady = 0
    @exclusivity(unchecked) private var buffers: BufferStack?
    private let bufferCount: Int

    private struct Output {
        var next: UnsafeMutablePointer<Completion>?
        var room = 0
    }

    /// Events after which a read returns bytes, the end, or an error.
    private static let mayRead =
        PollEvents.readable | PollEvents.readHangUp | PollEvents.urgent | PollEvents.hangUp
        | PollEvents.error

    init(bufferCount: Int) throws(SystemError) {
        self.bufferCount = bufferCount
        epoll = OwnedDescriptor(
            adopting: try checked("epoll_create1") { epoll_create1(Int32(EPOLL_CLOEXEC)) })
        events = .allocate(capacity: 256)
    }

    /// The descriptor that stands for the bell in events.
    private static let bell: Int32 = -1

    /// - Parameter bell: a descriptor whose readability also ends a wait. The caller owns it, and
    ///   keeps it open while the set is in use.
    func add(bell: Int32) throws(SystemError) {
        let set = epoll.number
        var event = epoll_event(events: PollEvents.readable, data: epoll_data_t(fd: EpollSet.bell))
        try checked("epoll_ctl") { epoll_ctl(set, EPOLL_CTL_ADD, bell, &event) }
    }

    deinit {
        events.deallocate()
        buffers?.free()
    }

    // MARK: registrations

    func register(descriptor: Int32, events: UInt32, token: UInt64) {
        guard descriptor >= 0 else {
            return emit(Completion(token: token, result: -EBADF))
        }
        let index = Int(descriptor)
        makeRoom(for: index)
        if index >= oneShots.count { EpollSet.grow(&oneShots, to: index, with: RegistrationList()) }
        oneShots[index].add(Registration(events: events, token: token))
        registrations[index].hasOneShots = true
        let registered = registrations[index].registeredEvents
        let wanted = registered & ~EpollRegistration.edgeTriggered | events
        guard wanted != registered else { return }
        let code = register(descriptor, wanted)
        guard code != 0 else { return }
        _ = removeOneShot(index, token)
        // EPERM: a regular file or a directory, which poll(2) calls ready at all times.
        emit(Completion(token: token, result: code == EPERM ? Int32(events) : -code))
    }

    private func makeRoom(for index: Int) {
        if index >= registrations.count {
            EpollSet.grow(&registrations, to: index, with: EpollRegistration())
        }
    }

    private static func grow<Element>(
        _ table: inout [Element], to index: Int, with element: Element
    ) {
        let room = max(index + 1, table.count * 2) - table.count
        table.append(contentsOf: repeatElement(element, count: room))
    }

    private func removeOneShot(_ index: Int, _ token: UInt64) -> Bool {
        guard registrations[index].hasOneShots, oneShots[index].remove(token: token) else {
            return false
        }
        registrations[index].hasOneShots = !oneShots[index].isEmpty
        return true
    }

    func cancelRegistration(descriptor: Int32, token: UInt64) {
        let index = Int(descriptor)
        guard registrations.indices.contains(index), removeOneShot(index, token) else { return }
        emit(Completion(token: token, result: -ECANCELED))
    }

    /// Forgets a descriptor that may be closed soon, unless another registration or stream waits
    /// for it.
    func release(descriptor: Int32) {
        let index = Int(descriptor)
        guard registrations.indices.contains(index) else { return }
        // Discard its events: the number may belong to another file when they are processed.
        for position in nextEvent..<eventCount where events[position].data.fd == descriptor {
            events[position].events = 0
        }
        let wanted = wantedEvents(index)
        if wanted != 0 {
            _ = register(descriptor, wanted)
        } else if registrations[index].isEdgeTriggered {
            // Keep the kernel's entry: at most one unneeded event follows, and closing the
            // descriptor removes it.
            registrations[index].registeredEvents = 0
        } else {
            forget(descriptor)
        }
    }

    private func wantedEvents(_ index: Int) -> UInt32 {
        let events = registrations[index].streamEvents
        return registrations[index].hasOneShots ? events | oneShots[index].events : events
    }

    /// Sets the events of a descriptor in the kernel. Returns 0 or the errno.
    private func register(_ descriptor: Int32, _ wanted: UInt32) -> Int32 {
        var event = epoll_event(events: wanted, data: epoll_data_t(fd: descriptor))
        let isKnown = registrations[Int(descriptor)].registeredEvents != 0
        var operation = isKnown ? EPOLL_CTL_MOD : EPOLL_CTL_ADD
        var result = epoll_ctl(epoll.number, operation, descriptor, &event)
        if result != 0 && (errno == ENOENT || errno == EEXIST) {
            // The number was closed, or closed and opened again, without a call of `release`.
            operation = errno == ENOENT ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
            result = epoll_ctl(epoll.number, operation, descriptor, &event)
        }
        registrations[Int(descriptor)].registeredEvents = result == 0 ? wanted : 0
        return result == 0 ? 0 : errno
    }

    private func forget(_ descriptor: Int32) {
        guard registrations[Int(descriptor)].registeredEvents != 0 else { return }
        registrations[Int(descriptor)].registeredEvents = 0
        // The kernel has removed a closed descriptor from the set already.
        _ = epoll_ctl(epoll.number, EPOLL_CTL_DEL, descriptor, nil)
    }

    // MARK: streams

    func receive(descriptor: Int32, isUnix: Bool, token: UInt64) {
        begin(EpollRegistration(stream: token, isUnix: isUnix), of: descriptor)
    }

    func accept(descriptor: Int32, token: UInt64) {
        begin(EpollRegistration(stream: token, isListener: true), of: descriptor)
    }

    private func begin(_ stream: EpollRegistration, of descriptor: Int32) {
        guard descriptor >= 0 else {
            return emit(Completion(token: stream.stream, result: -EBADF))
        }
        let index = Int(descriptor)
        makeRoom(for: index)
        registrations[index].stream = stream.stream
        registrations[index].isListener = stream.isListener
        registrations[index].isUnix = stream.isUnix
        streamCount += 1
        // A new connection has often sent already. The kernel reports bytes that arrive later.
        if !stream.isListener {
            receiveAll(descriptor, stream.stream, PollEvents.readable)
            if registrations[index].stream == 0 { return }
        }
        // Register whatever is known of the number: it may have been closed and belong to another
        // file by now. Pending events are reported as well.
        let code = register(descriptor, wantedEvents(index))
        if code != 0 { end(descriptor, -code) }
    }

    func cancelStream(descriptor: Int32, token: UInt64) {
        let index = Int(descriptor)
        guard registrations.indices.contains(index), registrations[index].stream == token else {
            return
        }
        end(descriptor, -ECANCELED)
    }

    /// Sends the last completion. The kernel's entry is reduced when the descriptor is released, or
    /// at an event that nothing waits for.
    private func end(_ descriptor: Int32, _ result: Int32) {
        let token = registrations[Int(descriptor)].stream
        guard token != 0 else { return }
        registrations[Int(descriptor)].stream = 0
        streamCount -= 1
        emit(Completion(token: token, result: result))
    }

    /// Most calls in a row for one descriptor; the rest follows in the next turn.
    private static let callsInARow = 8

    private func receiveAll(_ descriptor: Int32, _ token: UInt64, _ events: UInt32) {
        // A short read means that no bytes are left, unless the end, an error or urgent data
        // follows.
        let isMoreLikely = events & ~(PollEvents.readable | PollEvents.writable) != 0
        for _ in 0..<EpollSet.callsInARow {
            guard let (number, memory) = takeBuffer() else { return end(descriptor, -ENOBUFS) }
            let count = clinux_receive(descriptor, memory, ReceiveBuffers.size)
            guard count > 0 else {
                giveBack(buffer: number)
                return count == -Int(EAGAIN) ? () : end(descriptor, Int32(count))
            }
            let flags =
                Completion.bufferFlag | Completion.moreFlag
                | UInt32(number) << Completion.bufferShift
            emit(Completion(token: token, result: Int32(count), flags: flags))
            if count < ReceiveBuffers.size && !isMoreLikely { return }
        }
        tellAgain(descriptor)
    }

    /// Makes the kernel report the descriptor again, after the others had their turn.
    private func tellAgain(_ descriptor: Int32) {
        let index = Int(descriptor)
        if registrations[index].isEdgeTriggered { _ = register(descriptor, wantedEvents(index)) }
    }

    private func acceptAll(_ descriptor: Int32, _ token: UInt64) {
        for _ in 0..<EpollSet.callsInARow {
            let accepted = clinux_accept(descriptor)
            switch -accepted {
            case ...0:
                emit(Completion(token: token, result: accepted, flags: Completion.moreFlag))
            case EAGAIN:
                return
            case EINTR:
                continue
            default:
                return end(descriptor, accepted)
            }
        }
    }

    /// Made at first use.
    var receiveBuffers: ReceiveBuffers {
        makeBuffers()
        return buffers.unsafelyUnwrapped.memory
    }

    private func makeBuffers() {
        if buffers == nil { buffers = BufferStack(count: bufferCount) }
    }

    private func takeBuffer() -> (number: UInt16, memory: UnsafeMutableRawPointer)? {
        makeBuffers()
        return buffers?.take()
    }

    @inline(__always)
    func giveBack(buffer: UInt16) {
        buffers?.giveBack(buffer)
    }

    // MARK: turns

    /// Whether events may come, or wait for `reap`.
    var isInUse: Bool { streamCount > 0 || hasEvents }

    /// Whether `reap` has events or completions to process.
    var hasEvents: Bool { nextEvent != eventCount || firstReady != ready.count }

    /// Polls the kernel, or waits for an event (nil: without limit). A signal may end the wait
    /// early.
    func take(timeoutNanoseconds: UInt64?) {
        // The kernel would report unprocessed events again; no registration would wait for them any
        // more, and the entry would be reduced and set again.
        guard !hasEvents else { return }
        let count: Int32
        if let nanoseconds = timeoutNanoseconds {
            var timeout = timespec(
                tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
            count = clinux_epoll_wait(
                epoll.number, events.baseAddress, Int32(events.count), &timeout)
        } else {
            count = clinux_epoll_wait(epoll.number, events.baseAddress, Int32(events.count), nil)
        }
        if count < 0 && count != -EINTR {
            fatalSystemError(SystemError(call: "epoll_wait", code: -count))
        }
        nextEvent = 0
        eventCount = max(0, Int(count))
    }

    /// Makes the calls of as many streams as `next` has room for. Received bytes are handled before
    /// more are received, while they are in the cache.
    func reap(into next: UnsafeMutablePointer<Completion>, room: Int) -> Int {
        output = Output(next: next, room: room)
        defer { output.room = 0 }
        while output.room > 0, firstReady < ready.count {
            emit(ready[firstReady])
            firstReady += 1
        }
        if firstReady == ready.count && firstReady > 0 {
            ready.removeAll(keepingCapacity: true)
            firstReady = 0
        }
        while output.room > 0, nextEvent < eventCount {
            let event = events[nextEvent]
            nextEvent += 1
            if event.data.fd == EpollSet.bell {
                bellRang = true
            } else if event.events != 0 {
                deliver(event.events, to: event.data.fd)
            }
        }
        return room - output.room
    }

    @inline(__always)
    private func emit(_ completion: Completion) {
        guard output.room > 0, let next = output.next else { return ready.append(completion) }
        next.initialize(to: completion)
        output.next = next + 1
        output.room -= 1
    }

    @inline(__always)
    private func deliver(_ events: UInt32, to descriptor: Int32) {
        let registration = registrations[Int(descriptor)]
        if registration.stream != 0 && events & EpollSet.mayRead != 0 {
            if registration.isListener {
                acceptAll(descriptor, registration.stream)
            } else {
                receiveAll(descriptor, registration.stream, events)
            }
            if registration.hasOneShots { _ = completeOneShots(of: descriptor, events) }
        } else if !registration.hasOneShots || !completeOneShots(of: descriptor, events) {
            cutDown(descriptor)
        }
    }

    /// Returns whether any registration waited for these events.
    private func completeOneShots(of descriptor: Int32, _ events: UInt32) -> Bool {
        let index = Int(descriptor)
        let always = PollEvents.error | PollEvents.hangUp
        var isAny = false
        while let registration = oneShots[index].takeOne(where: {
            events & ($0.events | always) != 0
        }) {
            let result = events & (registration.events | always)
            emit(Completion(token: registration.token, result: Int32(bitPattern: result)))
            isAny = true
        }
        registrations[index].hasOneShots = !oneShots[index].isEmpty
        return isAny
    }

    /// Handles an event that nothing waited for.
    private func cutDown(_ descriptor: Int32) {
        let index = Int(descriptor)
        let wanted = wantedEvents(index)
        if wanted != 0 {
            _ = register(descriptor, wanted)
        } else if !registrations[index].isEdgeTriggered {
            forget(descriptor)
        }
    }
}
