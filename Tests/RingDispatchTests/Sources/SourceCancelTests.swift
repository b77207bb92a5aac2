import Glibc
import LinuxPlatform
import RingDispatch
import Testing

@Suite("Cancelling sources", .watchdog)
struct SourceCancelTests {
    private let queue = DispatchQueue(label: "source.cancel")

    @Test("54, 55. cancel sets the flag at once, may be repeated; its handler comes once, in order")
    func cancel() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let cancelled = Watched(0)
        source.setCancelHandler {
            dispatchPrecondition(condition: .onQueue(queue))
            cancelled.increment()
        }
        source.activate()
        #expect(!source.isCancelled)
        source.cancel()
        #expect(source.isCancelled)
        source.cancel()
        expectEventually(cancelled) { $0 == 1 }
        source.cancel()
        expectStays(cancelled, at: 1)
    }

    @Test("54. A cancelled source ends, although the kernel wakes it for nothing at that moment")
    func wokenForNothing() throws {
        final class Signals: Sendable {
            let descriptor: SignalDescriptor
            init() throws { descriptor = try SignalDescriptor() }
        }
        let signals = try Signals()
        let isOver = Gate()
        let waker = UserThread {
            // Each call wakes all that poll a signalfd in this process.
            while !isOver.wasOpened { signals.descriptor.set([SIGUSR2]) }
        }
        let cancelled = Watched(0)
        for _ in 0..<500 {
            let sources = (0..<4).map { _ in
                DispatchSource.makeReadSource(
                    fileDescriptor: signals.descriptor.number, queue: queue)
            }
            for source in sources {
                source.setEventHandler {}
                source.setCancelHandler { cancelled.increment() }
                source.activate()
            }
            for source in sources { source.cancel() }
        }
        expectEventually(cancelled) { $0 == 2000 }
        isOver.open()
        #expect(waker.join())
    }

    @Test("48, 54. No event handler starts after cancel, and a merge after it is ignored")
    func noEvents() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let events = Watched(0)
        let cancelled = Gate()
        source.setEventHandler { events.increment() }
        source.setCancelHandler { cancelled.open() }
        let mayRun = Gate()
        // Before the activation, which may put the source onto the queue.
        queue.async { mayRun.pass() }
        source.activate()
        source.add(data: 1)
        source.cancel()
        source.add(data: 1)
        mayRun.open()
        expectOpens(cancelled)
        drain(queue)
        #expect(events.value == 0)
    }

    @Test("55. The cancel handler waits for a running event handler")
    func afterRunningHandler() {
        let concurrent = DispatchQueue(label: "source.cancel.wide", attributes: .concurrent)
        let source = DispatchSource.makeUserDataAddSource(queue: concurrent)
        let seen = Watched<[String]>([])
        let inside = Gate()
        let leave = Gate()
        source.setEventHandler {
            inside.open()
            leave.pass()
            seen.append("event")
        }
        source.setCancelHandler { seen.append("cancel") }
        source.activate()
        source.add(data: 1)
        expectOpens(inside)
        source.cancel()
        expectStays(seen, at: [])
        leave.open()
        expectEventually(seen) { $0.count == 2 }
        #expect(seen.value == ["event", "cancel"])
    }

    @Test("55. A cancel handler that is set while the event handler runs is called")
    func handlerSetMeanwhile() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let inside = Gate()
        let leave = Gate()
        source.start {
            inside.open()
            leave.pass()
        }
        source.add(data: 1)
        expectOpens(inside)
        let cancelled = watchCancel(of: source)
        source.cancel()
        leave.open()
        expectOpens(cancelled)
    }

    @Test("54, 55. A source can be cancelled from its own event handler")
    func insideHandler() {
        let channel = Channel(.pipe)
        let source = DispatchSource.makeReadSource(fileDescriptor: channel.near, queue: queue)
        let seen = Watched<[String]>([])
        source.setEventHandler {
            seen.append("event")
            source.cancel()
        }
        source.setCancelHandler {
            seen.append("cancel")
            channel.closeNear()
        }
        source.activate()
        write(1, to: channel.far)
        expectEventually(seen) { $0.count == 2 }
        #expect(seen.value == ["event", "cancel"])
    }

    @Test("8. A suspended source's cancel handler waits for the resume")
    func suspended() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let cancelled = Watched(0)
        source.setCancelHandler { cancelled.increment() }
        source.activate()
        source.suspend()
        source.cancel()
        expectStays(cancelled, at: 0)
        source.resume()
        expectEventually(cancelled) { $0 == 1 }
    }

    @Test("53, 58. Handlers let go of their captures after the cancel handler")
    func releases() {
        let released = Watched(0)
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        do {
            let canaries = (0..<3).map { _ in Canary { released.increment() } }
            source.setRegistrationHandler { [canary = canaries[0]] in canary.keepAlive() }
            // A cycle on purpose: cancelling breaks it.
            source.setEventHandler { [canary = canaries[1]] in
                canary.keepAlive()
                _ = source.data
            }
            source.setCancelHandler { [canary = canaries[2]] in canary.keepAlive() }
        }
        source.activate()
        drain(queue)
        #expect(released.value < 3)
        source.cancel()
        expectEventually(released) { $0 == 3 }
    }

    @Test("55, 59. The descriptor may be closed and reused right in the cancel handler")
    func descriptorReuse() {
        for _ in 0..<200 {
            let channel = Channel(.socketPair)
            let source = DispatchSource.makeReadSource(fileDescriptor: channel.near, queue: queue)
            let received = Watched(0)
            let cancelled = Gate()
            source.setEventHandler {
                received.increment(by: readAll(from: channel.near).count)
            }
            source.setCancelHandler {
                channel.closeNear()
                cancelled.open()
            }
            source.activate()
            write(3, to: channel.far)
            let arrived = expectEventually(received) { $0 == 3 }
            source.cancel()
            guard expectOpens(cancelled) && arrived else { return }
        }
    }

    @Test("57. Dropping a source unregisters it without a word")
    func drop() {
        let channel = Channel(.pipe)
        let seen = Watched<[String]>([])
        do {
            let source = DispatchSource.makeReadSource(fileDescriptor: channel.near, queue: queue)
            source.setEventHandler { seen.append("dropped") }
            source.setCancelHandler { seen.append("cancel") }
            source.activate()
            drain(queue)
        }
        let other = DispatchSource.makeReadSource(fileDescriptor: channel.near, queue: queue)
        let otherCancelled = activate(other) {
            _ = readAll(from: channel.near)
            seen.append("other")
        }
        drain(queue)
        write(1, to: channel.far)
        expectEventually(seen) { $0.contains("other") }
        finish(other, otherCancelled)
        #expect(seen.value == ["other"])
    }

    @Test("55. Cancelling many sources at once runs every cancel handler")
    func many() {
        let cancelled = Watched(0)
        let channels = (0..<200).map { _ in Channel(.socketPair) }
        let sources = channels.enumerated().map { number, channel in
            let source = DispatchSource.makeReadSource(
                fileDescriptor: channel.near,
                queue: number.isMultiple(of: 2) ? queue : DispatchQueue(label: "source.many"))
            source.setEventHandler { _ = readAll(from: channel.near) }
            source.setCancelHandler {
                channel.closeNear()
                cancelled.increment()
            }
            source.activate()
            return source
        }
        for channel in channels { write(1, to: channel.far) }
        for source in sources { source.cancel() }
        expectEventually(cancelled) { $0 == 200 }
    }
}
