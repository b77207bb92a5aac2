import Glibc
import RingDispatch
import Testing

@Suite("Handlers of sources", .watchdog)
struct SourceHandlerTests {
    private let queue = DispatchQueue(label: "handler")

    @Test("8, 51. A suspended source's registration handler waits for the resume, and comes first")
    func suspendedRegistration() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let calls = Watched<[String]>([])
        source.setRegistrationHandler { calls.append("registered") }
        source.setEventHandler { [unowned source] in calls.append("event \(source.data)") }
        let cancelled = watchCancel(of: source)
        source.suspend()
        source.activate()
        source.add(data: 2)
        source.add(data: 3)
        drain(queue)
        expectStays(calls, at: [])
        source.resume()
        expectEventually(calls) { $0.count == 2 }
        #expect(calls.value == ["registered", "event 5"])
        finish(source, cancelled)
    }

    @Test("51. What was merged before the activation comes after the registration handler")
    func registrationBeforeMerged() {
        let source = DispatchSource.makeUserDataOrSource(queue: queue)
        let calls = Watched<[String]>([])
        source.setRegistrationHandler { calls.append("registered") }
        source.setEventHandler { [unowned source] in calls.append("event \(source.data)") }
        let cancelled = watchCancel(of: source)
        source.or(data: 1)
        source.or(data: 4)
        source.activate()
        expectEventually(calls) { $0.count == 2 }
        #expect(calls.value == ["registered", "event 5"])
        finish(source, cancelled)
    }

    @Test("51. A registration handler that is set after the registration is called at once")
    func lateRegistration() {
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let calls = Watched(0)
        let cancelled = activate(source) {}
        drain(queue)
        source.setRegistrationHandler { calls.increment() }
        expectEventually(calls) { $0 == 1 }
        source.add(data: 1)
        finish(source, cancelled)
        #expect(calls.value == 1)
    }

    @Test("58. A handler that is set after the end is released")
    func lateHandler() {
        final class Captured {}
        let source = DispatchSource.makeUserDataAddSource(queue: queue)
        let cancelled = activate(source) {}
        finish(source, cancelled)
        drain(queue)
        weak var released: Captured?
        do {
            let captured = Captured()
            released = captured
            source.setEventHandler { [source] in withExtendedLifetime((source, captured)) {} }
        }
        #expect(released == nil)
    }

    @Test("46. On a concurrent queue the handler never runs beside itself, and events merge")
    func noOverlap() {
        let pair = Channel(.socketPair)
        let source = DispatchSource.makeReadSource(
            fileDescriptor: pair.near,
            queue: DispatchQueue(label: "handler.concurrent", attributes: .concurrent))
        let inside = Watched(0)
        let overlaps = Watched(0)
        let received = Watched(0)
        let calls = Watched(0)
        let (entered, leave) = (Gate(), Gate())
        let cancelled = activate(source) {
            if inside.increment() != 1 { overlaps.increment() }
            let call = calls.increment()
            received.increment(by: readAll(from: pair.near).count)
            if call == 1 {
                entered.open()
                leave.pass()
            }
            inside.increment(by: -1)
        }
        // Ten events while the handler runs are one more call.
        write(1, to: pair.far)
        expectOpens(entered)
        for _ in 0..<10 { write(1, to: pair.far) }
        expectStays(calls, at: 1)
        leave.open()
        expectEventually(received) { $0 == 11 }
        #expect(calls.value == 2)
        onThreads(2) { _ in
            // A full socket is not writable.
            for _ in 0..<200 {
                while write(1, to: pair.far) != 1 { sched_yield() }
            }
        }
        expectEventually(received) { $0 == 411 }
        #expect(overlaps.value == 0)
        finish(source, cancelled)
    }

    @Test("53. A handler that captures its own source keeps it until it is cancelled")
    func capturesItself() {
        let released = Gate()
        let fired = Watched(0)
        let isLast = Watched(false)
        let cancelled: Gate
        do {
            let timer = DispatchSource.makeTimerSource(queue: queue)
            let canary = Canary { released.open() }
            timer.schedule(deadline: .now(), repeating: .milliseconds(1))
            timer.setEventHandler {
                canary.keepAlive()
                fired.increment()
                if isLast.value { timer.cancel() }
            }
            cancelled = watchCancel(of: timer)
            timer.activate()
        }
        // No other reference exists.
        expectEventually(fired) { $0 >= 3 }
        #expect(!released.wasOpened)
        isLast.update { $0 = true }
        expectOpens(cancelled)
        expectOpens(released)
    }

    @Test("A source reads random bytes from a device")
    func randomDevice() throws {
        let descriptor = open("/dev/random", O_RDONLY | O_NONBLOCK)
        try #require(descriptor >= 0)
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        let received = Watched(0)
        source.setEventHandler { [unowned source] in
            var bytes = [UInt8](repeating: 0, count: 16)
            if source.data > 0 { received.increment(by: max(0, read(descriptor, &bytes, 16))) }
        }
        let cancelled = activate(source)
        expectEventually(received) { $0 >= 64 }
        finish(source, cancelled)
        close(descriptor)
    }
}
